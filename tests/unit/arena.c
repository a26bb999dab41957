/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * e2s_arena_zalloc(): zero, aligned, nobody else's, from any thread; and an
 * arena can be used again once it has been freed.
 */
#include <stdint.h>
#include <string.h>

#include "tests/unit/check.h"
#include "util/util.h"

#define ITEMS 600
#define THREADS 4

struct ctx {
	struct e2s_arena arena;
	uint8_t *got[ITEMS];
};

/* From nothing to more than any piece holds. */
static size_t size_of(uint64_t item)
{
	return item % 50 == 49 ? 3000000 : item * item % 70001;
}

static errcode_t take(void *arg, uint64_t item, unsigned worker,
		      struct e2s_where *where)
{
	struct ctx *ctx = arg;
	size_t size = size_of(item), i;
	uint8_t *p = e2s_arena_zalloc(&ctx->arena, size);

	(void)worker;
	(void)where;
	if (!p || (uintptr_t)p % 64)
		return 1;
	for (i = 0; i < size; i++)
		if (p[i])
			return 2;
	memset(p, (int)(item % 255) + 1, size);
	ctx->got[item] = p;
	return 0;
}

static void check_round(struct ctx *ctx)
{
	uint64_t item;
	size_t i, wrong = 0, sum = 0;

	CHECK(e2s_workers_run(THREADS, ITEMS, take, ctx, NULL) == 0);
	for (item = 0; item < ITEMS && !failures; item++)
		for (i = 0; i < size_of(item); i++, sum++)
			wrong += ctx->got[item][i] != item % 255 + 1;
	CHECK(wrong == 0);
	CHECK(ctx->arena.bytes >= sum);
	e2s_arena_free(&ctx->arena);
	CHECK(ctx->arena.bytes == 0);
}

int main(void)
{
	static struct ctx ctx;

	check_round(&ctx);
	check_round(&ctx);
	CHECK(e2s_arena_zalloc(&ctx.arena, SIZE_MAX - 10) == NULL);
	CHECK(e2s_arena_zalloc(&ctx.arena, SIZE_MAX / 8) == NULL);
	CHECK(e2s_arena_zalloc(&ctx.arena, 0) != NULL);
	e2s_arena_free(&ctx.arena);
	return failures != 0;
}
