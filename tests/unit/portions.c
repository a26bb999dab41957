/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * e2s_portions_run(): every portion is made once and then delivered once, in
 * order; a slot is never made while it is delivered; with threads the next is
 * made meanwhile, with one all is one thread's; the error of the earlier
 * portion counts, with its place, and nothing is delivered after it.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "tests/unit/check.h"
#include "util/util.h"

#define PORTIONS 200

struct ctx {
	_Atomic unsigned made, delivered;
	_Atomic unsigned busy[2];	/* calls under way, by slot */
	_Atomic unsigned clashes;
	unsigned in[2];			/* the portion in each slot */
	unsigned portions;
	unsigned make_fails, deliver_fails;	/* at this portion */
	unsigned meet;			/* this one's delivery waits until the
					 * next one is being made */
	pthread_t caller;
	unsigned elsewhere;		/* deliveries not on the caller's */
};

#define NEVER 1000000

static errcode_t make(void *arg, unsigned slot, int *made,
		      struct e2s_where *where)
{
	struct ctx *ctx = arg;
	unsigned number = ctx->made;

	if (ctx->busy[slot]++ || !pthread_equal(pthread_self(), ctx->caller))
		ctx->clashes++;
	CHECK(*made == 1);
	*made = number < ctx->portions;
	ctx->in[slot] = number;
	if (*made)
		ctx->made++;
	ctx->busy[slot]--;
	return number == ctx->make_fails
		       ? e2s_where_ino(where, EIO, number) : 0;
}

static errcode_t deliver(void *arg, unsigned slot, struct e2s_where *where)
{
	struct ctx *ctx = arg;
	unsigned number = ctx->in[slot];

	if (ctx->busy[slot]++ || number != ctx->delivered)
		ctx->clashes++;
	if (!pthread_equal(pthread_self(), ctx->caller))
		ctx->elsewhere++;
	while (number == ctx->meet && ctx->made == number + 1)
		sched_yield();
	ctx->delivered++;
	ctx->busy[slot]--;
	return number == ctx->deliver_fails
		       ? e2s_where_ino(where, ENOSPC, number) : 0;
}

static struct ctx fresh(void)
{
	return (struct ctx){
		.portions = PORTIONS, .make_fails = NEVER,
		.deliver_fails = NEVER, .meet = NEVER,
		.caller = pthread_self(),
	};
}

static errcode_t run(struct ctx *ctx, unsigned threads, struct e2s_where *where)
{
	const struct e2s_portions portions = {
		.make = make, .deliver = deliver, .ctx = ctx,
	};
	errcode_t err = e2s_portions_run(&portions, threads, where);

	CHECK(!ctx->clashes);
	CHECK(threads > 1 || !ctx->elsewhere);
	return err;
}

static void all_in_order(unsigned threads)
{
	struct e2s_where where = { 0 };
	struct ctx ctx = fresh();

	CHECK(!run(&ctx, threads, &where));
	CHECK(ctx.made == PORTIONS && ctx.delivered == PORTIONS);
	CHECK(!where.set);
	ctx = fresh();
	ctx.portions = 0;
	CHECK(!run(&ctx, threads, NULL));
	CHECK(!ctx.made && !ctx.delivered);
}

/* Would wait for ever if the next one were made only after it. */
static void next_is_made_meanwhile(void)
{
	struct ctx ctx = fresh();

	ctx.meet = 7;
	CHECK(!run(&ctx, 2, NULL));
	CHECK(ctx.delivered == PORTIONS && ctx.elsewhere == PORTIONS);
}

static void earlier_error_counts(unsigned threads)
{
	struct e2s_where where = { 0 };
	struct ctx ctx = fresh();

	ctx.make_fails = 10;
	CHECK(run(&ctx, threads, &where) == EIO);
	CHECK(where.set == E2S_WHERE_INO && where.ino == 10);
	CHECK(ctx.delivered == 10);

	ctx = fresh();
	ctx.deliver_fails = 9;
	ctx.make_fails = 10;
	where = (struct e2s_where){ 0 };
	CHECK(run(&ctx, threads, &where) == ENOSPC);
	CHECK(where.set == E2S_WHERE_INO && where.ino == 9);
	CHECK(ctx.delivered == 10);

	ctx = fresh();
	ctx.make_fails = 0;
	CHECK(run(&ctx, threads, NULL) == EIO);
}

int main(void)
{
	unsigned threads;

	for (threads = 1; threads <= 3; threads++) {
		all_in_order(threads);
		earlier_error_counts(threads);
	}
	next_is_made_meanwhile();
	return failures != 0;
}
