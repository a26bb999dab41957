/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE	/* MAP_ANONYMOUS, madvise */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "util/arena.h"

#define ALIGNMENT 64		/* a cache line: workers do not share one */
#define HUGE_PAGE ((size_t)2 << 20)
#define FIRST_PIECE ((size_t)64 << 10)	/* to touch a huge page takes its time */

struct e2s_arena_piece {
	struct e2s_arena_piece *next;
	char *memory;		/* not touched before it is used */
	size_t size;
};

static size_t round_up(size_t size, size_t to)
{
	return (size + to - 1) / to * to;
}

/* SIZE bytes of new memory that begin where a huge page can. */
static char *map_aligned(size_t size)
{
	size_t before, room = size + HUGE_PAGE;
	char *p = mmap(NULL, room, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	before = round_up((uintptr_t)p, HUGE_PAGE) - (uintptr_t)p;
	if (before)
		munmap(p, before);
	if (before < HUGE_PAGE)
		munmap(p + before + size, HUGE_PAGE - before);
	/* Advice: without it the memory is as good, only slower. */
	(void)madvise(p + before, size, MADV_HUGEPAGE);
	return p + before;
}

static char *map_small(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* A piece with room for SIZE bytes: a little one first, then a quarter of what
 * there is already, so that little is left over in the end. */
static int add_piece(struct e2s_arena *arena, size_t size)
{
	size_t want = arena->bytes / 4;
	struct e2s_arena_piece *piece;
	int small = !arena->bytes && size <= FIRST_PIECE;

	want = small ? FIRST_PIECE
		     : round_up(want < size ? size : want, HUGE_PAGE);
	piece = malloc(sizeof(*piece));
	if (!piece)
		return 0;
	*piece = (struct e2s_arena_piece){
		arena->pieces, small ? map_small(want) : map_aligned(want), want
	};
	if (!piece->memory) {
		free(piece);
		return 0;
	}
	arena->pieces = piece;
	arena->at = piece->memory;
	arena->end = piece->memory + want;
	arena->bytes += want;
	return 1;
}

void *e2s_arena_zalloc(struct e2s_arena *arena, size_t size)
{
	void *p = NULL;

	if (size > SIZE_MAX / 4)
		return NULL;
	size = round_up(size ? size : 1, ALIGNMENT);
	pthread_mutex_lock(&arena->lock);
	if ((size_t)(arena->end - arena->at) >= size || add_piece(arena, size)) {
		p = arena->at;
		arena->at += size;
	}
	pthread_mutex_unlock(&arena->lock);
	return p;
}

void e2s_arena_free(struct e2s_arena *arena)
{
	struct e2s_arena_piece *piece;

	while ((piece = arena->pieces)) {
		arena->pieces = piece->next;
		munmap(piece->memory, piece->size);
		free(piece);
	}
	arena->at = arena->end = NULL;
	arena->bytes = 0;
}
