/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * e2s_workers_run(): every item once, whatever the number of threads; the
 * lowest failing item wins, with its place; after it nothing is started that
 * stands behind all that had been started by then.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/unit/check.h"
#include "util/util.h"

#define ITEMS 5000
#define MAX_THREADS 16

struct ctx {
	_Atomic unsigned visits[ITEMS];
	_Atomic unsigned busy[MAX_THREADS];	/* calls under way, by worker */
	_Atomic unsigned clashes;
	_Atomic unsigned beyond;		/* calls with a worker too high */
	_Atomic unsigned sum;
	unsigned threads;
	uint64_t fail_at;			/* items from here on fail */
	uint64_t wait_for;			/* ... the first one waits for it */
	_Atomic unsigned reached;
};

static errcode_t visit(void *arg, uint64_t item, unsigned worker,
		       struct e2s_where *where)
{
	struct ctx *ctx = arg;

	(void)where;
	if (worker >= ctx->threads) {
		ctx->beyond++;
		return 0;
	}
	if (ctx->busy[worker]++)
		ctx->clashes++;
	ctx->visits[item]++;
	ctx->sum += (unsigned)item;
	if (item % 64 == 0)
		sched_yield();
	ctx->busy[worker]--;
	return 0;
}

static void each_item_once(unsigned threads)
{
	struct ctx *ctx = calloc(1, sizeof(*ctx));
	unsigned i, wrong = 0;

	if (!ctx)
		abort();
	ctx->threads = threads ? threads : 1;
	CHECK(!e2s_workers_run(threads, ITEMS, visit, ctx, NULL));
	for (i = 0; i < ITEMS; i++)
		wrong += ctx->visits[i] != 1;
	CHECK(wrong == 0);
	CHECK(ctx->clashes == 0);
	CHECK(ctx->beyond == 0);
	CHECK(ctx->sum == ITEMS / 2 * (ITEMS - 1));
	free(ctx);
}

static errcode_t start_in_order(void *arg, uint64_t item, unsigned worker,
				struct e2s_where *where)
{
	uint64_t *next = arg;

	(void)worker;
	if (item != (*next)++)
		return e2s_where_blk(where, EINVAL, item);
	return 0;
}

static void one_thread_goes_in_order(void)
{
	uint64_t next = 0;

	CHECK(!e2s_workers_run(1, ITEMS, start_in_order, &next, NULL));
	CHECK(next == ITEMS);
}

static errcode_t fail_from(void *arg, uint64_t item, unsigned worker,
			   struct e2s_where *where)
{
	struct ctx *ctx = arg;

	(void)worker;
	ctx->visits[item]++;
	if (item < ctx->fail_at)
		return 0;
	/*
	 * The lowest failing item is made the last to say so: it ends when
	 * all the others that were started with it have.
	 */
	if (item > ctx->fail_at)
		ctx->reached++;
	else
		while (ctx->reached < ctx->wait_for)
			sched_yield();
	return e2s_where_group(where, item % 2 ? EIO : ENOSPC, (uint32_t)item);
}

static void lowest_failure_wins(unsigned threads)
{
	struct ctx *ctx = calloc(1, sizeof(*ctx));
	struct e2s_where where = { 0 };
	unsigned i, missed = 0, late = 0;
	errcode_t err;

	if (!ctx)
		abort();
	ctx->threads = threads;
	ctx->fail_at = 101;
	/* One failure stops the loop, so only one is sure to be under way. */
	ctx->wait_for = threads > 1;
	err = e2s_workers_run(threads, ITEMS, fail_from, ctx, &where);
	CHECK(err == EIO);
	CHECK(where.set == E2S_WHERE_GROUP && where.group == 101);
	for (i = 0; i < ITEMS; i++) {
		missed += i <= 101 && ctx->visits[i] != 1;
		late += i >= 101 + threads && ctx->visits[i];
	}
	CHECK(missed == 0);
	CHECK(late == 0);
	/* Nobody has to ask for the place. */
	ctx->reached = 0;
	CHECK(e2s_workers_run(threads, ITEMS, fail_from, ctx, NULL) == EIO);
	free(ctx);
}

static errcode_t must_not_run(void *arg, uint64_t item, unsigned worker,
			      struct e2s_where *where)
{
	(void)arg, (void)item, (void)worker, (void)where;
	return EINVAL;
}

static void nothing_to_do(void)
{
	struct e2s_where where = { 0 };

	CHECK(!e2s_workers_run(0, 0, must_not_run, NULL, &where));
	CHECK(!e2s_workers_run(8, 0, must_not_run, NULL, &where));
	CHECK(where.set == 0);
}

int main(void)
{
	static const unsigned threads[] = { 1, 2, 3, 8, MAX_THREADS };
	unsigned i, round;

	CHECK(e2s_workers_default() >= 1);
	each_item_once(0);
	for (i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		each_item_once(threads[i]);
		for (round = 0; round < 50; round++)
			lowest_failure_wins(threads[i]);
	}
	one_thread_goes_in_order();
	nothing_to_do();
	return failures != 0;
}
