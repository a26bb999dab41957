/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mballoc on file systems that are only numbers.  The witness is a bitmap in
 * which every extent that is handed out is marked, and a count of it that
 * knows of no buddies: a chunk is free when all its bits are clear.
 */
#include <stdlib.h>
#include <string.h>

#include "mballoc/mballoc.h"
#include "tests/unit/check.h"

#define BLOCK 1024u
#define CLUSTERS (BLOCK * 8)
#define ORDERS 12u
#define GROUPS 37u

/* All groups, a byte a cluster: 1 taken. */
struct disk {
	uint8_t taken[GROUPS][CLUSTERS];
	uint8_t original[GROUPS][CLUSTERS];
	int lies;			/* bitmap() gives other bits */
};

static const struct e2s_mballoc_layout small = {
	.groups = GROUPS, .block_size = BLOCK, .clusters_per_group = CLUSTERS,
	.cluster_blocks = 1, .flex_size = 4, .blocks_per_group = CLUSTERS,
	.first_data_block = 1,
};

static int chunk_free(const uint8_t *taken, uint32_t start, uint32_t len)
{
	while (len--)
		if (taken[start++])
			return 0;
	return 1;
}

static void count(const uint8_t *taken, struct e2s_mballoc_group *info,
		  uint32_t *counters)
{
	uint32_t i, size;
	unsigned order;

	memset(counters, 0, ORDERS * sizeof(*counters));
	info->free = info->fragments = 0;
	info->first_free = CLUSTERS;
	for (i = CLUSTERS; i--;) {
		if (taken[i])
			continue;
		info->free++;
		info->first_free = i;
		info->fragments += !i || taken[i - 1];
	}
	for (order = 0; order < ORDERS; order++) {
		size = 1u << order;
		for (i = 0; i < CLUSTERS; i += size)
			if (chunk_free(taken, i, size) &&
			    (order == ORDERS - 1 ||
			     !chunk_free(taken, i & ~(2 * size - 1), 2 * size)))
				counters[order]++;
	}
}

static void numbers(void *ctx, uint32_t group, struct e2s_mballoc_group *info,
		    uint32_t *counters)
{
	struct disk *disk = ctx;

	count(disk->original[group], info, counters);
}

static void bitmap(void *ctx, uint32_t group, uint8_t *bits)
{
	struct disk *disk = ctx;
	uint32_t i;

	memset(bits, 0, BLOCK);
	for (i = 0; i < CLUSTERS; i++)
		bits[i / 8] |= (uint8_t)(disk->original[group][i] << i % 8);
	if (disk->lies)
		bits[0] ^= 0x10;
}

/* Runs of up to MOST clusters, free or taken in turn; ends taken. */
static struct disk *make_disk(unsigned seed, uint32_t most)
{
	struct disk *disk = calloc(1, sizeof(*disk));
	uint32_t group, i, n;
	uint8_t taken;

	srand(seed);
	for (group = 0; group < GROUPS; group++) {
		/* Some groups are full, some empty. */
		taken = (uint8_t)(rand() % 2);
		for (i = 0; i < CLUSTERS; taken = !taken)
			for (n = 1 + (uint32_t)rand() % most;
			     n && i < CLUSTERS; n--)
				disk->original[group][i++] = taken;
		if (group % 9 == 5)
			memset(disk->original[group], group % 2, CLUSTERS);
	}
	/* The last group is short. */
	memset(disk->original[GROUPS - 1] + 3001, 1, CLUSTERS - 3001);
	memcpy(disk->taken, disk->original, sizeof(disk->taken));
	return disk;
}

static struct e2s_mballoc *mballoc_of(struct disk *disk)
{
	struct e2s_mballoc_source source = { numbers, bitmap, disk };
	struct e2s_mballoc *mb = NULL;

	CHECK(!e2s_mballoc_generate(&small, &source, &mb));
	return mb;
}

static uint64_t all_free(struct disk *disk)
{
	uint64_t n = 0;
	uint32_t group, i;

	for (group = 0; group < GROUPS; group++)
		for (i = 0; i < CLUSTERS; i++)
			n += !disk->taken[group][i];
	return n;
}

static int same_numbers(const struct e2s_mballoc_state *state,
			const struct disk *disk, uint32_t group)
{
	const struct e2s_mballoc_group *info =
		e2s_mballoc_state_group(state, group);
	struct e2s_mballoc_group want;
	uint32_t counters[ORDERS];

	count(disk->taken[group], &want, counters);
	/* The kernel lets first_free lag behind, never run ahead. */
	return info->free == want.free && info->fragments == want.fragments &&
	       info->first_free <= want.first_free &&
	       !memcmp(counters, e2s_mballoc_state_counters(state, group),
		       sizeof(counters));
}

/* Takes everything, in requests of any length, and watches every step. */
static void take_all(unsigned seed, uint32_t most, int optimize_scan)
{
	struct e2s_mballoc_search search = {
		.optimize_scan = optimize_scan,
		.linear_limit = seed % 3 * 2, .slots = 3 };
	struct disk *disk = make_disk(seed, most);
	struct e2s_mballoc *mb = mballoc_of(disk);
	struct e2s_mballoc_state *state = NULL;
	struct e2s_mballoc_request request = { 0 };
	struct e2s_mballoc_cost cost = { 0 };
	struct e2s_mballoc_extent got;
	uint64_t left = all_free(disk), hits = 0, requests = 0;
	unsigned i;

	CHECK(!e2s_mballoc_state_new(mb, &search, &state));
	while (left) {
		request.len = 1 + (uint32_t)rand() % (rand() % 4 ? 64 : 9000);
		if (rand() % 3 == 0)
			request.len = 1u << rand() % 13;
		request.goal = (uint32_t)rand() % GROUPS;
		request.stream = rand() % 2;
		request.slot = (uint32_t)rand() % 3;
		CHECK(!e2s_mballoc_allocate(state, &request, &got, &cost,
					    NULL));
		requests++;
		if (!got.len || got.len > request.len ||
		    got.group >= GROUPS || got.start + got.len > CLUSTERS ||
		    !chunk_free(disk->taken[got.group], got.start, got.len)) {
			CHECK(!"an extent that is free");
			break;
		}
		memset(disk->taken[got.group] + got.start, 1, got.len);
		left -= got.len;
		/* The witness is slow. */
		if (requests % 16 == 0 &&
		    !same_numbers(state, disk, got.group)) {
			CHECK(!"the numbers of the bitmap");
			break;
		}
	}
	CHECK(!e2s_mballoc_allocate(state, &request, &got, &cost, NULL));
	CHECK(!got.len);
	for (i = 0; i < GROUPS; i++)
		CHECK(same_numbers(state, disk, i));
	for (i = 0; i < EXT4_MB_NUM_CRS; i++)
		hits += cost.hits[i];
	CHECK(hits + cost.late == requests);
	e2s_mballoc_state_free(state);
	e2s_mballoc_free(mb);
	free(disk);
}

/* The one extent that is long enough is found, by either search. */
static void find_the_one(int optimize_scan)
{
	struct e2s_mballoc_search search = { .optimize_scan = optimize_scan };
	struct e2s_mballoc_request request = { .goal = 3, .len = 700 };
	struct disk *disk = calloc(1, sizeof(*disk));
	struct e2s_mballoc_cost cost = { 0 };
	struct e2s_mballoc_state *state = NULL;
	struct e2s_mballoc_extent got;
	struct e2s_mballoc *mb;
	uint32_t group, i;

	/* Extents of 200, five a group, and in group 22 one of 1024. */
	memset(disk->original, 1, sizeof(disk->original));
	for (group = 0; group < GROUPS; group++)
		for (i = 100; i < 5 * 400; i += 400)
			memset(disk->original[group] + i, 0, 200);
	memset(disk->original[22] + 4096, 0, 1024);
	mb = mballoc_of(disk);
	CHECK(!e2s_mballoc_state_new(mb, &search, &state));
	/* No power of two, and more than any group's average. */
	CHECK(!e2s_mballoc_allocate(state, &request, &got, &cost, NULL));
	CHECK(got.group == 22 && got.start == 4096 && got.len == 700);
	CHECK(cost.hits[CR_GOAL_LEN_SLOW] == 1);
	CHECK(cost.examined[CR_POWER2_ALIGNED] == 0);
	CHECK(cost.examined[CR_GOAL_LEN_FAST] == (optimize_scan ? 0 : GROUPS));
	CHECK(cost.examined[CR_GOAL_LEN_SLOW] == 20);
	/* What is left of it, 324, holds the one aligned 256 of all groups. */
	request.len = 256;
	CHECK(!e2s_mballoc_allocate(state, &request, &got, &cost, NULL));
	CHECK(got.group == 22 && got.start == 4096 + 768 && got.len == 256);
	CHECK(cost.hits[CR_POWER2_ALIGNED] == 1);
	CHECK(cost.examined[CR_POWER2_ALIGNED] == (optimize_scan ? 1 : 20));
	e2s_mballoc_state_free(state);
	e2s_mballoc_free(mb);
	free(disk);
}

/* After 200 extents that are too short the longest of them will do. */
static void give_up(void)
{
	struct e2s_mballoc_search search = { 0 };
	struct e2s_mballoc_request request = { .len = 700 };
	struct disk *disk = calloc(1, sizeof(*disk));
	struct e2s_mballoc_cost cost = { 0 };
	struct e2s_mballoc_state *state = NULL;
	struct e2s_mballoc_extent got;
	struct e2s_mballoc *mb;
	uint32_t i;

	memset(disk->original, 1, sizeof(disk->original));
	for (i = 0; i < 300; i++)
		memset(disk->original[1] + 20 * i, 0, i == 100 ? 12 : 10);
	memset(disk->original[2], 0, CLUSTERS);
	mb = mballoc_of(disk);
	CHECK(!e2s_mballoc_state_new(mb, &search, &state));
	/* Where the average is enough it is found before the 200. */
	CHECK(!e2s_mballoc_allocate(state, &request, &got, &cost, NULL));
	CHECK(got.group == 2 && cost.hits[CR_GOAL_LEN_FAST] == 1);
	request.len = CLUSTERS - 700;
	CHECK(!e2s_mballoc_allocate(state, &request, &got, &cost, NULL));
	CHECK(got.group == 2 && got.len == CLUSTERS - 700);
	request.len = 700;
	CHECK(!e2s_mballoc_allocate(state, &request, &got, &cost, NULL));
	CHECK(got.group == 1 && got.start == 2000 && got.len == 12);
	CHECK(cost.extents[CR_GOAL_LEN_SLOW] == 201);
	CHECK(cost.hits[CR_GOAL_LEN_SLOW] == 1);
	e2s_mballoc_state_free(state);
	e2s_mballoc_free(mb);
	free(disk);
}

static void changed_bitmap(void)
{
	struct e2s_mballoc_search search = { 0 };
	struct e2s_mballoc_request request = { .len = 1, .goal = 6 };
	struct disk *disk = make_disk(3, 50);
	struct e2s_mballoc *mb = mballoc_of(disk);
	struct e2s_mballoc_cost cost = { 0 };
	struct e2s_mballoc_state *state = NULL;
	struct e2s_mballoc_extent got;
	struct e2s_where where = { 0 };

	disk->lies = 1;
	CHECK(!e2s_mballoc_state_new(mb, &search, &state));
	CHECK(e2s_mballoc_allocate(state, &request, &got, &cost, &where) ==
	      E2S_ET_BITMAP_CHANGED);
	CHECK(where.set == E2S_WHERE_GROUP && where.group == 6 && !got.len);
	e2s_mballoc_state_free(state);
	e2s_mballoc_free(mb);
	free(disk);
}

/* --- many groups: 16 clusters are free in each, but all of the last --- */

static void many_numbers(void *ctx, uint32_t group,
			 struct e2s_mballoc_group *info, uint32_t *counters)
{
	uint32_t last = *(uint32_t *)ctx;

	*info = (struct e2s_mballoc_group){
		.free = group == last ? 32768 : 16, .fragments = 1,
		.first_free = 0 };
	counters[group == last ? 13 : 4] = group == last ? 4 : 1;
}

static void many_bitmap(void *ctx, uint32_t group, uint8_t *bits)
{
	uint32_t last = *(uint32_t *)ctx;

	memset(bits, group == last ? 0 : 0xff, 4096);
	bits[0] = bits[1] = 0;
}

/* Groups that a request of LEN looks at, of GROUPS_N, in all criteria. */
static uint64_t cost_of(uint32_t groups_n, uint32_t len, int optimize_scan)
{
	struct e2s_mballoc_layout layout = {
		.groups = groups_n, .block_size = 4096,
		.clusters_per_group = 32768, .cluster_blocks = 1,
		.flex_size = 16, .blocks_per_group = 32768 };
	uint32_t last = groups_n - 1;
	struct e2s_mballoc_source source = { many_numbers, many_bitmap, &last };
	struct e2s_mballoc_search search = { .optimize_scan = optimize_scan };
	struct e2s_mballoc_request request = { .len = len };
	struct e2s_mballoc_cost cost = { 0 };
	struct e2s_mballoc_state *state = NULL;
	struct e2s_mballoc *mb = NULL;
	struct e2s_mballoc_extent got = { 0 };
	uint64_t sum = 0;
	unsigned i;

	CHECK(!e2s_mballoc_generate(&layout, &source, &mb));
	CHECK(!e2s_mballoc_state_new(mb, &search, &state));
	CHECK(!e2s_mballoc_allocate(state, &request, &got, &cost, NULL));
	CHECK(got.group == last && got.len == len);
	for (i = 0; i < EXT4_MB_NUM_CRS; i++)
		sum += cost.examined[i];
	e2s_mballoc_state_free(state);
	e2s_mballoc_free(mb);
	return sum;
}

static void cost_of_groups(void)
{
	static const uint32_t sizes[] = { 100, 10000, 1000000 };
	unsigned i;

	/* 2^9 is searched at CR_POWER2_ALIGNED, 500 at CR_GOAL_LEN_FAST. */
	for (i = 0; i < 3; i++) {
		CHECK(cost_of(sizes[i], 512, 0) == sizes[i]);
		CHECK(cost_of(sizes[i], 500, 0) == sizes[i]);
		CHECK(cost_of(sizes[i], 512, 1) == 1);
		CHECK(cost_of(sizes[i], 500, 1) == 1);
	}
}

/* --- tasks --- */

static void meet(uint32_t tasks_n, int skip, uint32_t slots,
		 struct e2s_mballoc_meeting *ret)
{
	struct e2s_mballoc_search search = { .optimize_scan = 1,
					     .slots = slots };
	struct e2s_mballoc_tasks tasks = {
		.tasks = tasks_n, .requests = 30, .len = 32, .stream = 1,
		.skip_busy = skip, .look_steps = 1, .hold_steps = 8,
		.mark_steps = 2, .pause_steps = 32 };
	struct disk *disk = make_disk(11, 300);
	struct e2s_mballoc *mb = mballoc_of(disk);

	CHECK(!e2s_mballoc_meet(mb, &search, &tasks, ret, NULL));
	/* Each served request gets all of it here: there is room enough. */
	CHECK(ret->requests == 30ULL * tasks_n && !ret->failed);
	CHECK(ret->clusters == 32 * ret->requests);
	CHECK(ret->waits + ret->skips <= ret->tries);
	CHECK(ret->aliases <= ret->waits + ret->skips);
	CHECK((ret->groups_met > 0) == (ret->waits + ret->skips > 0));
	e2s_mballoc_free(mb);
	free(disk);
}

static void meetings(void)
{
	struct e2s_mballoc_meeting one, many, skipping, slots, again;

	meet(1, 0, 1, &one);
	CHECK(!one.waits && !one.skips && !one.groups_met && !one.in_vain);
	/* Alone: look, scan, mark, pause; each group that it leaves, a look. */
	CHECK(one.steps >= 30 * (1 + 8 + 2 + 32));
	meet(12, 0, 1, &many);
	CHECK(many.waits > 0 && many.wait_steps > 0 && !many.skips);
	CHECK(many.steps > one.steps);
	meet(12, 1, 1, &skipping);
	CHECK(skipping.skips > 0 && skipping.wait_steps < many.wait_steps);
	CHECK(skipping.steps < many.steps);
	CHECK(skipping.groups_used > many.groups_used);
	/* All goals are group 0 at first, and soon they are apart. */
	meet(12, 0, 9, &slots);
	CHECK(slots.wait_steps < many.wait_steps);
	meet(12, 1, 1, &again);
	CHECK(!memcmp(&again, &skipping, sizeof(again)));
}

static void goal_slots(void)
{
	static const struct {
		uint32_t cpus, groups, slots;
	} rows[] = {
		{ 1, 1, 1 }, { 8, 1, 1 }, { 8, 4, 1 }, { 8, 5, 2 },
		{ 8, 32, 8 }, { 8, 33, 8 }, { 2, 1000, 2 },
		{ UINT32_MAX, UINT32_MAX, 1u << 30 },
	};
	static const uint32_t ino[] = { 11, 12, 13, 16, 21, UINT32_MAX };
	uint64_t hist[5] = { 100 };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK(e2s_mballoc_goal_slots(rows[i].cpus, rows[i].groups) ==
		      rows[i].slots);
	e2s_mballoc_goal_histogram(ino, 6, 5, hist);
	CHECK(hist[0] == 101 && hist[1] == 3 && hist[2] == 1 && hist[3] == 1 &&
	      hist[4] == 0);
}

int main(void)
{
	unsigned seed;

	initialize_e2s_error_table();
	for (seed = 0; seed < 6; seed++) {
		take_all(seed, 3 + seed * seed * 40, 0);
		take_all(seed, 3 + seed * seed * 40, 1);
	}
	find_the_one(0);
	find_the_one(1);
	give_up();
	changed_bitmap();
	cost_of_groups();
	meetings();
	goal_slots();
	return failures != 0;
}
