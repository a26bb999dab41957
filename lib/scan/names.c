/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phases 3 and 4: the names.
 *
 * Phase 3 reads every directory block once, in physical order, and gives each
 * file its home and each directory its parent: the lowest-numbered directory
 * that names it.  "Lowest" makes the outcome independent of the order in which
 * threads come by.  Phase 4 looks for inodes without names.
 */
#include <errno.h>
#include <stdlib.h>

#include "scan/internal.h"

#define CHUNK_BYTES (256u << 10)	/* of directory blocks, a piece of work */
#define GAP_BYTES (32u << 10)		/* sooner read than passed over */

struct names {
	struct run *run;
	size_t chunk;			/* blocks a piece of work */
	uint8_t **buf;			/* by worker, a chunk */
	struct yield **yields;		/* by chunk */
};

/* Lowers *WORD to NUMBER; NONE is what "not yet" looks like.  Returns 1 when
 * there was a number already. */
static int lower(uint32_t *word, uint32_t number, uint32_t none)
{
	uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);

	while ((old == none || number < old) &&
	       !__atomic_compare_exchange_n(word, &old, number, 1,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return old != none;
}

/*
 * Keeps where the name of an inode is.  Phase 1 has marked those with several
 * links, so a second name elsewhere is damage and counted as such.
 */
static errcode_t take_place(struct run *run, struct yield *yield, uint32_t group,
			    uint32_t index, e2s_place place)
{
	e2s_place *at = &run->scan->places[group][index];
	errcode_t err;

	__atomic_fetch_sub(&run->links[group][index], 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(at, __ATOMIC_RELAXED) != E2S_PLACE_MANY) {
		lower(at, place, E2S_PLACE_NONE);
		return 0;
	}
	err = e2s_vec_reserve(&yield->links, 1);
	if (!err)
		yield->links.v[yield->links.n++] = (struct e2s_link){
			group * run->fs->geo.inodes_per_group + index + 1,
			place };
	return err;
}

/* What the name of INO at PLACE in directory DIR says. */
static errcode_t take_name(struct run *run, struct yield *yield, uint32_t dir,
			   uint32_t ino, e2s_place place)
{
	const struct e2s_geometry *geo = &run->fs->geo;
	uint32_t group = e2s_geometry_group(geo, ino);
	uint32_t index = e2s_geometry_index(geo, ino);
	struct e2s_scan *scan = run->scan;
	e2s_slot *slot, was = E2S_SLOT_FREE;
	int again = 0;

	if (ino <= geo->inodes && index < scan->layout.used[group]) {
		slot = &scan->layout.slots[group][index];
		was = __atomic_load_n(slot, __ATOMIC_RELAXED);
	}
	/* Of those without a home only a journal may have a name. */
	if (was == E2S_SLOT_FREE ||
	    (was == E2S_SLOT_SPECIAL &&
	     ino != run->fs->ext2->super->s_journal_inum)) {
		e2s_yield_problem(yield, E2S_PROBLEM_ENTRY,
			e2s_geometry_group(geo, scan->dirs[dir].ino),
			scan->dirs[dir].ino, place & E2S_PLACE_INLINE ? 0 :
			run->blocks.v[place].blk);
		return 0;
	}
	if (e2s_slot_is_file(was))
		lower(slot, E2S_SLOT_FILE | (dir + 1), E2S_SLOT_FILE);
	else if (e2s_slot_is_dir(was))
		again = lower(&scan->dirs[e2s_slot_dir(was)].parent, dir,
			      E2S_DIR_NONE);
	if (again)
		e2s_yield_problem(yield, E2S_PROBLEM_DIR_NAMES,
			group, ino, 0);
	return run->flags & E2S_SCAN_PLACES
		       ? take_place(run, yield, group, index, place) : 0;
}

static int csum_is_good(const struct run *run, const struct e2s_scan_dir *dir,
			const uint8_t *data)
{
	const uint8_t *stored;
	uint32_t csum, seed;

	if (!run->fs->geo.metadata_csum)
		return 1;
	seed = e2s_csum_inode_seed(run->fs, dir->ino, dir->generation);
	if (e2s_csum_dir_block(run->fs, seed, data, &stored, &csum) ==
	    E2S_DIR_NO_TAIL)
		return 0;
	return e2s_get_le32(stored) == csum;
}

/* The slots of inodes far apart come from memory meanwhile. */
static void fetch_slots(const struct run *run, const uint32_t *inos, unsigned n)
{
	const struct e2s_geometry *geo = &run->fs->geo;
	uint32_t group, index;
	unsigned i;

	for (i = 0; i < n; i++) {
		group = e2s_geometry_group(geo, inos[i]);
		index = e2s_geometry_index(geo, inos[i]);
		if (inos[i] <= geo->inodes &&
		    index < run->scan->layout.used[group])
			__builtin_prefetch(&run->scan->layout.slots[group][index],
					   1);
	}
}

#define NAMES_AT_ONCE 32

static errcode_t scan_block(struct run *run, struct yield *yield,
			    const struct e2s_dir_block *block,
			    const uint8_t *data)
{
	const struct e2s_scan_dir *dir = &run->scan->dirs[block->dir];
	uint32_t group = e2s_geometry_group(&run->fs->geo, dir->ino);
	e2s_place place = (e2s_place)(block - run->blocks.v);
	uint32_t inos[NAMES_AT_ONCE];
	struct e2s_dirents walk;
	struct e2s_dirent entry;
	unsigned i, n;
	errcode_t err;
	int more = 1;

	if (!csum_is_good(run, dir, data))
		e2s_yield_problem(yield, E2S_PROBLEM_DIR_CSUM, group, dir->ino,
				  block->blk);
	e2s_dirents_start(&walk, data, run->fs->geo.block_size,
			  run->fs->geo.block_size);
	while (more > 0) {
		for (n = 0; n < NAMES_AT_ONCE &&
			    (more = e2s_dirents_next(&walk, &entry)) > 0;)
			if (entry.ino && !e2s_dirent_is_dot(&entry) &&
			    !e2s_dirent_is_dotdot(&entry))
				inos[n++] = entry.ino;
		fetch_slots(run, inos, n);
		for (i = 0; i < n; i++) {
			err = take_name(run, yield, block->dir, inos[i], place);
			if (err)
				return err;
		}
	}
	if (more < 0)
		e2s_yield_problem(yield, E2S_PROBLEM_DIR_BLOCK, group, dir->ino,
				  block->blk);
	return 0;
}

/* Blocks from I on that lie side by side, at most up to END. */
static size_t run_length(const struct e2s_dir_block *blocks, size_t i, size_t end)
{
	size_t n = 1;

	while (i + n < end && blocks[i + n].blk == blocks[i].blk + n)
		n++;
	return n;
}

/* Reads N blocks from number I on; the rest up to END will be read next. */
static errcode_t read_blocks(const struct run *run, size_t i, size_t n,
			     size_t end, uint8_t *buf, struct e2s_where *where)
{
	const struct e2s_dir_block *blocks = run->blocks.v;
	uint64_t gap = GAP_BYTES / run->fs->geo.block_size;
	size_t j, from = i;

	if (e2s_fs_read_cached(run->fs, blocks[i].blk, n, buf))
		return 0;
	for (j = i + 1; j <= end; j++) {
		if (j < end && blocks[j].blk - blocks[j - 1].blk <= gap)
			continue;
		e2s_fs_readahead(run->fs, blocks[from].blk,
				 blocks[j - 1].blk + 1 - blocks[from].blk);
		from = j;
	}
	return e2s_fs_read(run->fs, blocks[i].blk, n, buf, where);
}

static errcode_t scan_chunk(void *ctx, uint64_t item, unsigned worker,
			    struct e2s_where *where)
{
	struct names *names = ctx;
	struct run *run = names->run;
	uint32_t bs = run->fs->geo.block_size;
	size_t i = item * names->chunk, end = i + names->chunk, j, n;
	uint8_t *buf = names->buf[worker];
	struct yield *yield;
	errcode_t err;

	if (end > run->blocks.n)
		end = run->blocks.n;
	names->yields[item] = yield = calloc(1, sizeof(*yield));
	if (!yield)
		return ENOMEM;
	for (; i < end; i += n) {
		n = run_length(run->blocks.v, i, end);
		err = read_blocks(run, i, n, end, buf, where);
		for (j = 0; j < n && !err; j++)
			err = scan_block(run, yield, &run->blocks.v[i + j],
					 buf + j * bs);
		if (err)
			return err;
	}
	return 0;
}

static errcode_t scan_inline_names(struct run *run)
{
	struct yield *yield = calloc(1, sizeof(*yield));
	errcode_t err = 0;
	size_t i;

	if (!yield)
		return ENOMEM;
	for (i = 0; i < run->inline_names.n && !err; i++)
		err = take_name(run, yield, run->inline_names.v[i].dir,
				run->inline_names.v[i].ino,
				E2S_PLACE_INLINE | run->inline_names.v[i].dir);
	if (!err)
		err = e2s_run_take_lists(run, yield, 0);
	e2s_yield_merge(run->scan, yield);
	return err;
}

errcode_t e2s_scan_names(struct run *run, struct e2s_where *where)
{
	uint32_t bs = run->fs->geo.block_size;
	struct names names = { .run = run, .chunk = CHUNK_BYTES / bs };
	size_t chunks = (run->blocks.n + names.chunk - 1) / names.chunk, i;
	struct e2s_arena arena = { 0 };
	errcode_t err = ENOMEM;

	names.yields = calloc(chunks + 1, sizeof(*names.yields));
	names.buf = calloc(run->threads, sizeof(*names.buf));
	if (!names.yields || !names.buf)
		goto out;
	for (i = 0; i < run->threads; i++) {
		names.buf[i] = e2s_arena_zalloc(&arena, names.chunk * bs);
		if (!names.buf[i])
			goto out;
	}
	err = e2s_workers_run(run->threads, chunks, scan_chunk, &names, where);
	if (err)
		goto out;
	for (i = 0; i < chunks && !err; i++) {
		err = e2s_run_take_lists(run, names.yields[i], 0);
		e2s_yield_merge(run->scan, names.yields[i]);
		names.yields[i] = NULL;
	}
	if (!err)
		err = scan_inline_names(run);
out:
	for (i = 0; names.yields && i < chunks; i++)
		e2s_yield_free(names.yields[i]);
	e2s_arena_free(&arena);
	free(names.yields);
	free(names.buf);
	return err;
}

enum { UNKNOWN, ON_THE_WAY, REACHED, LOST };

/* Whether the root leads to DIR, for it and all directories on the way. */
static void find_root(const struct e2s_scan *scan, uint8_t *state, uint32_t dir)
{
	uint32_t up = dir;
	uint8_t found;

	while (state[up] == UNKNOWN) {
		state[up] = ON_THE_WAY;
		if (scan->dirs[up].parent == E2S_DIR_NONE)
			break;
		up = scan->dirs[up].parent;
	}
	found = state[up] == REACHED ? REACHED : LOST;
	for (up = dir; state[up] == ON_THE_WAY; up = scan->dirs[up].parent) {
		state[up] = found;
		if (scan->dirs[up].parent == E2S_DIR_NONE)
			break;
	}
}

static errcode_t find_lost_dirs(struct run *run, struct yield *yield)
{
	const struct e2s_scan *scan = run->scan;
	uint32_t root = e2s_scan_dir_number(scan, EXT2_ROOT_INO), i;
	uint8_t *state = calloc((size_t)scan->dirs_n + 1, 1);

	if (!state)
		return ENOMEM;
	if (root != E2S_DIR_NONE)
		state[root] = REACHED;
	for (i = 0; i < scan->dirs_n; i++) {
		find_root(scan, state, i);
		/* One without a name has been counted as such. */
		if (state[i] == LOST && scan->dirs[i].parent != E2S_DIR_NONE)
			e2s_yield_problem(yield, E2S_PROBLEM_DIR_LOST,
				(scan->dirs[i].ino - 1) /
					run->fs->geo.inodes_per_group,
				scan->dirs[i].ino, 0);
	}
	free(state);
	return 0;
}

/* Directories are checked by their names; their links count subdirectories. */
static void check_file(struct run *run, struct yield *yield, uint32_t group,
		       uint32_t index)
{
	uint32_t ino = group * run->fs->geo.inodes_per_group + index + 1;
	e2s_slot slot = run->scan->layout.slots[group][index];

	if (!e2s_slot_is_file(slot))
		return;
	if (!e2s_slot_has_home(slot))
		e2s_yield_problem(yield, E2S_PROBLEM_NO_NAME, group, ino, 0);
	else if (run->links[group] && run->links[group][index])
		e2s_yield_problem(yield, E2S_PROBLEM_LINKS, group, ino, 0);
}

errcode_t e2s_scan_leftovers(struct run *run, struct e2s_where *where)
{
	const struct e2s_geometry *geo = &run->fs->geo;
	struct e2s_scan *scan = run->scan;
	struct yield *yield = calloc(1, sizeof(*yield));
	uint32_t group, i;
	errcode_t err;

	(void)where;
	if (!yield)
		return ENOMEM;
	for (i = 0; i < scan->dirs_n; i++) {
		struct e2s_scan_dir *dir = &scan->dirs[i];

		if (dir->ino == EXT2_ROOT_INO)
			dir->parent = i;
		else if (dir->parent == E2S_DIR_NONE)
			e2s_yield_problem(yield, E2S_PROBLEM_DIR_NAMES,
				e2s_geometry_group(geo, dir->ino),
				dir->ino, 0);
	}
	err = find_lost_dirs(run, yield);
	for (group = 0; group < geo->groups; group++)
		for (i = 0; i < scan->layout.used[group]; i++)
			check_file(run, yield, group, i);
	e2s_yield_merge(scan, yield);
	return err;
}
