/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena: memory that is all zeroes at first and freed all at once.  But for the
 * first 64 KiB it comes from the system in huge pages where there are any: to
 * touch a megabyte of new memory by small ones takes longer than to read it from
 * the page cache.
 */
#ifndef E2S_UTIL_ARENA_H
#define E2S_UTIL_ARENA_H

#include <pthread.h>
#include <stddef.h>

/* All zero is an empty one. */
struct e2s_arena {
	pthread_mutex_t lock;		/* guards what follows */
	struct e2s_arena_piece *pieces;
	char *at, *end;			/* what is left of the newest piece */
	size_t bytes;			/* all pieces together */
};

/*
 * SIZE bytes, zero, aligned for everything; NULL when there are none.  They are
 * the arena's and live until e2s_arena_free().  Any thread.
 */
void *e2s_arena_zalloc(struct e2s_arena *arena, size_t size);

/* Frees everything; the arena is empty then. */
void e2s_arena_free(struct e2s_arena *arena);

#endif
