/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/util.h"

static void *run(void *arg)
{
	struct e2s_aside *aside = arg;

	aside->err = aside->fn(aside->ctx, &aside->where);
	return NULL;
}

void e2s_aside_start(struct e2s_aside *aside, unsigned threads, e2s_aside_fn fn,
		     void *ctx)
{
	*aside = (struct e2s_aside){ .fn = fn, .ctx = ctx };
	aside->on_thread = threads > 1 &&
		!pthread_create(&aside->thread, NULL, run, aside);
	if (!aside->on_thread)
		run(aside);
}

errcode_t e2s_aside_wait(struct e2s_aside *aside, struct e2s_where *where)
{
	if (!aside->fn)
		return 0;
	if (aside->on_thread)
		pthread_join(aside->thread, NULL);
	aside->fn = NULL;
	if (aside->err && where)
		*where = aside->where;
	return aside->err;
}
