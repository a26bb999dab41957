/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The driver: the phases, one after the other, and what comes of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/internal.h"

static errcode_t (*const phases[])(struct run *run, struct e2s_where *where) = {
	e2s_verify_frame, e2s_verify_groups, e2s_verify_sort,
	e2s_verify_xattr_blocks, e2s_verify_names, e2s_verify_paths,
	e2s_verify_links, e2s_verify_ea_inodes, e2s_verify_sum,
};

static void free_run(struct run *run)
{
	uint32_t i;
	size_t k;

	for (i = 0; run->workers && i < run->threads; i++) {
		free(run->workers[i].table);
		free(run->workers[i].block);
		free(run->workers[i].map);
	}
	free(run->workers);
	for (k = 0; k < run->groups.n; k++)
		if (run->groups.v[k].yield) {
			e2s_verify_free_yield(run->groups.v[k].yield);
			free(run->groups.v[k].yield);
		}
	free(run->groups.v);
	free(run->group_at);
	e2s_arena_free(&run->arena);
	e2s_verify_free_yield(&run->all);
}

static errcode_t alloc_run(struct run *run)
{
	uint32_t bs = run->fs->geo.block_size, i;
	struct worker *worker;

	run->read_blocks = bs < READ_BYTES ? READ_BYTES / bs : 1;
	run->group_at = malloc(run->fs->geo.groups * sizeof(*run->group_at));
	run->workers = calloc(run->threads, sizeof(*run->workers));
	if (!run->group_at || !run->workers)
		return ENOMEM;
	for (i = 0; i < run->threads; i++) {
		worker = &run->workers[i];
		worker->table = malloc((size_t)run->read_blocks * bs);
		worker->block = malloc(bs);
		worker->map = malloc((size_t)MAP_LEVELS * bs);
		if (!worker->table || !worker->block || !worker->map)
			return ENOMEM;
	}
	return 0;
}

errcode_t e2s_verify_read(const struct e2s_fs *fs,
			  const struct e2s_verify_options *options,
			  struct e2s_verify *ret, struct e2s_where *where)
{
	struct run run = { .fs = fs, .options = options,
			   .threads = options->threads };
	errcode_t err;
	unsigned i;

	*ret = (struct e2s_verify){ 0 };
	if (!run.threads)
		run.threads = e2s_workers_default();
	err = alloc_run(&run);
	for (i = 0; i < sizeof(phases) / sizeof(*phases) && !err; i++)
		err = phases[i](&run, where);
	for (i = 0; !err && i < run.threads; i++)
		e2s_verify_merge(ret, &run.workers[i].sum);
	free_run(&run);
	return err;
}

struct e2s_digest e2s_verify_digest(const struct e2s_verify *verify)
{
	struct e2s_digest sum = { 0 };
	unsigned part;

	for (part = 0; part < E2S_VERIFY_PLACES; part++) {
		digest_add(&sum, hash_words(HASH_ITEM, verify->digest[part].lo,
					    part));
		digest_add(&sum, hash_words(HASH_ITEM, verify->digest[part].hi,
					    part + E2S_VERIFY_PARTS));
	}
	return sum;
}

errcode_t e2s_verify_check(const struct e2s_verify *verify,
			   struct e2s_where *where)
{
	const struct e2s_fault *fault;
	unsigned kind;

	for (kind = 0; kind < E2S_FAULT_KINDS; kind++) {
		fault = &verify->fault[kind];
		if (!fault->n)
			continue;
		e2s_where_group(where, 0, fault->group);
		if (fault->ino)
			e2s_where_ino(where, 0, fault->ino);
		if (fault->blk)
			e2s_where_blk(where, 0, fault->blk);
		return e2s_where_detail(where, E2S_ET_VERIFY_FAULT, "%s",
					e2s_fault_words(kind));
	}
	return 0;
}

static int differs(const struct e2s_verify *before,
		   const struct e2s_verify *after, unsigned part)
{
	return before->digest[part].lo != after->digest[part].lo ||
	       before->digest[part].hi != after->digest[part].hi;
}

errcode_t e2s_verify_compare(const struct e2s_verify *before,
			     const struct e2s_verify *after,
			     struct e2s_where *where)
{
	const struct {
		const char *what;
		uint64_t before, after;
	} counts[] = {
		{ "inodes", before->inodes, after->inodes },
		{ "directories", before->directories, after->directories },
		{ "names", before->names, after->names },
		{ "extent blocks", before->extent_blocks, after->extent_blocks },
		{ "extended attribute blocks", before->xattr_blocks,
		  after->xattr_blocks },
	};
	errcode_t err = e2s_verify_check(after, where);
	unsigned i;

	if (err)
		return err;
	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i].before != counts[i].after)
			return e2s_where_detail(where, E2S_ET_VERIFY_DIFFERS,
				"%llu %s before, %llu after",
				(unsigned long long)counts[i].before,
				counts[i].what,
				(unsigned long long)counts[i].after);
	for (i = 0; i < E2S_VERIFY_PLACES; i++)
		if (differs(before, after, i))
			return e2s_where_detail(where, E2S_ET_VERIFY_DIFFERS,
						"%s", e2s_verify_part_words(i));
	if (differs(before, after, E2S_VERIFY_PLACES))
		return E2S_ET_VERIFY_PLACES;
	return 0;
}
