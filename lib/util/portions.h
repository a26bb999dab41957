/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * portions: work that comes in portions, each made and then delivered.  While
 * one is delivered the next is made.
 */
#ifndef E2S_UTIL_PORTIONS_H
#define E2S_UTIL_PORTIONS_H

#include "util/where.h"

struct e2s_portions {
	/* Makes the next portion in SLOT, 0 or 1, which nobody else uses.
	 * *MADE is 1 on entry; 0 says that there is none any more. */
	errcode_t (*make)(void *ctx, unsigned slot, int *made,
			  struct e2s_where *where);
	/* Delivers the portion in SLOT. */
	errcode_t (*deliver)(void *ctx, unsigned slot, struct e2s_where *where);
	void *ctx;
};

/*
 * Makes and delivers portions until there is none any more, or an error.
 * Both are called in order, each for one portion at a time; with THREADS of 1
 * all on the caller's thread, otherwise deliver() on another, for a portion
 * before the one that make() is at.  The error of the earlier portion counts.
 */
errcode_t e2s_portions_run(const struct e2s_portions *portions,
			   unsigned threads, struct e2s_where *where);

#endif
