/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aside: one call on a thread of its own, while its caller does something else.
 */
#ifndef E2S_UTIL_ASIDE_H
#define E2S_UTIL_ASIDE_H

#include <pthread.h>

#include "util/where.h"

typedef errcode_t (*e2s_aside_fn)(void *ctx, struct e2s_where *where);

/* All zero: nothing is under way. */
struct e2s_aside {
	e2s_aside_fn fn;	/* NULL: nothing is under way */
	void *ctx;
	pthread_t thread;
	int on_thread;
	errcode_t err;
	struct e2s_where where;
};

/*
 * Starts FN on a thread of its own; with THREADS of 1, or where none can be
 * had, it is done when this returns.  Nothing may be under way.
 */
void e2s_aside_start(struct e2s_aside *aside, unsigned threads, e2s_aside_fn fn,
		     void *ctx);

/* Waits for what is under way, if anything, and returns its error, with the
 * place in WHERE.  Afterwards nothing is under way. */
errcode_t e2s_aside_wait(struct e2s_aside *aside, struct e2s_where *where);

#endif
