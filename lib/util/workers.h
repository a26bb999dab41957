/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workers: a parallel for loop whose outcome does not depend on the number of
 * threads.
 */
#ifndef E2S_UTIL_WORKERS_H
#define E2S_UTIL_WORKERS_H

#include <stdint.h>

#include "util/where.h"

/*
 * Does one ITEM.  WORKER (0 .. threads - 1) picks scratch space that no other
 * call uses at the same time.
 */
typedef errcode_t (*e2s_work_fn)(void *ctx, uint64_t item, unsigned worker,
				 struct e2s_where *where);

/* How many threads "as many as there are CPUs" means here, at least 1. */
unsigned e2s_workers_default(void);

/*
 * Calls FN once for each item 0 .. ITEMS - 1, in ascending order of start, on
 * THREADS threads (1: all on the caller's).  After an error no further item is
 * started; the error of the lowest failing item is returned with its place.
 * Where fewer threads can be had, fewer are used.  Returns ENOMEM, or FN's error.
 */
errcode_t e2s_workers_run(unsigned threads, uint64_t items, e2s_work_fn fn,
			  void *ctx, struct e2s_where *where);

#endif
