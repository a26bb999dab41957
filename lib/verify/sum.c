/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase 9: the sums over all inodes in use.
 *
 * Relies on X being whole and on the link counts less the names.
 */
#include "verify/internal.h"

/* The names of a file must have used up its links; what is special has names
 * or not, as the journal's ".journal" of old. */
static void check_links(struct run *run, struct e2s_verify *sum,
			const struct group *group, uint32_t index, uint32_t ino)
{
	unsigned type = group->type[index];

	if (type != EXT2_FT_DIR && !(type & TYPE_SPECIAL) &&
	    group->links[index])
		e2s_verify_note(run, sum, E2S_FAULT_LINKS, 0, ino, 0);
}

static errcode_t sum_group(void *ctx, uint64_t item, unsigned worker,
			   struct e2s_where *where)
{
	struct run *run = ctx;
	const struct e2s_verify_options *options = run->options;
	const struct group *group = &run->groups.v[item];
	struct e2s_verify *sum = &run->workers[worker].sum;
	uint32_t index, ino, place;
	uint64_t x;

	(void)where;
	for (index = 0; index < group->used; index++) {
		if (!group->type[index])
			continue;
		ino = ino_of(run, group->number, index);
		check_links(run, sum, group, index, ino);
		sum->inodes++;
		sum->directories += group->type[index] == EXT2_FT_DIR;
		x = group->x[index];
		place = options->new_of ? options->new_of(options->ctx, ino)
					: ino;
		digest_add(&sum->digest[E2S_VERIFY_TREE], x);
		digest_add(&sum->digest[E2S_VERIFY_PLACES],
			   hash_words(HASH_PLACED, x, place));
	}
	return 0;
}

errcode_t e2s_verify_sum(struct run *run, struct e2s_where *where)
{
	return e2s_workers_run(run->threads, run->groups.n, sum_group,
			       run, where);
}
