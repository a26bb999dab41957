/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phases 5 and 7: the directory blocks, in physical order, twice.
 *
 * Phase 5 relies on the types of all inodes.  It checks blocks and entries,
 * takes every name off the link count of its inode, and leaves the parent and
 * the name of each directory.  Phase 7 relies on P of every directory; it goes
 * through the same blocks again (they are in the page cache by now) and adds
 * each name to X of its inode.
 */
#include <string.h>

#include "scan/dirent.h"
#include "verify/internal.h"

#define CHUNK 256		/* blocks that are one item of work */
#define ENTRY_TYPE 7		/* offset of the file type in an entry */
#define AHEAD 64		/* entries that are looked at together */

/* A directory block, or an inline directory, under way. */
struct block_read {
	struct run *run;
	struct worker *worker;
	const struct dir_block *block;
	struct dir *dir;
};

typedef void (*entry_fn)(struct block_read *b, const struct e2s_dirent *entry);
typedef void (*block_fn)(struct block_read *b, uint8_t *data);

static void fault(struct block_read *b, enum e2s_fault_kind kind)
{
	e2s_verify_note(b->run, &b->worker->sum, kind, 0, b->dir->ino,
			b->block->blk);
}

/*
 * Some entries of a block.  What they lead to lies all over the memory, so all
 * of it is asked for before the first of it is used.
 */
struct entry {
	struct e2s_dirent dirent;
	struct group *group;	/* of its inode, NULL: none that is in use */
	uint32_t index;
};

struct entries {
	struct entry v[AHEAD];
	unsigned n;
};

enum wanted { WANT_TYPE, WANT_X };

static void ask_for(const struct entry *entry, enum wanted wanted)
{
	if (!entry->group)
		return;
	if (wanted == WANT_X) {
		__builtin_prefetch((void *)&entry->group->x[entry->index], 1);
		return;
	}
	__builtin_prefetch(&entry->group->type[entry->index]);
	__builtin_prefetch((void *)&entry->group->links[entry->index], 1);
}

/* The next entries, at least one unless it is over; returns as
 * e2s_dirents_next() does for the one behind them. */
static int next_entries(const struct run *run, struct e2s_dirents *walk,
			struct entries *entries, enum wanted wanted)
{
	struct entry *entry = entries->v;
	int more = 1;

	for (; entry < entries->v + AHEAD; entry++) {
		more = e2s_dirents_next(walk, &entry->dirent);
		if (more <= 0)
			break;
		entry->group = group_of(run, entry->dirent.ino, &entry->index);
		ask_for(entry, wanted);
	}
	entries->n = (unsigned)(entry - entries->v);
	return more;
}

/* --- phase 5 --- */

static void note_subdir(struct block_read *b, struct dir *dir,
			const struct e2s_dirent *entry)
{
	uint32_t parent = b->block->dir, seen = dir->parent;

	/* Sums and least numbers: the same whoever comes first. */
	while (parent < seen &&
	       !atomic_compare_exchange_weak(&dir->parent, &seen, parent))
		;
	atomic_fetch_add(&dir->names, 1);
	atomic_fetch_add(&dir->path, e2s_verify_hash(HASH_NAME, 0, entry->name,
						     entry->name_len));
	atomic_fetch_add(&b->dir->subdirs, 1);
}

static void check_name(struct block_read *b, const struct entry *entry)
{
	const struct e2s_dirent *dirent = &entry->dirent;
	const struct e2s_fs *fs = b->run->fs;
	struct group *group = entry->group;
	unsigned type = group ? group->type[entry->index] : 0;

	b->worker->sum.names++;
	if (!type || type & TYPE_EA || dirent->ino < fs->geo.first_ino) {
		/* The root has no name either. */
		fault(b, E2S_FAULT_NAME);
		return;
	}
	if (!dirent->name_len)
		fault(b, E2S_FAULT_DIR_BLOCK);
	if (ext2fs_has_feature_filetype(fs->ext2->super) &&
	    dirent->at[ENTRY_TYPE] != (type & TYPE_FT))
		fault(b, E2S_FAULT_NAME_TYPE);
	if (type == EXT2_FT_DIR)
		note_subdir(b, &b->run->all.dirs.v[group->links[entry->index]],
			    dirent);
	else
		atomic_fetch_sub_explicit(&group->links[entry->index], 1,
					  memory_order_relaxed);
}

/* "." and "..", the first two entries of block 0 and of no other. */
static void check_dot(struct block_read *b, const struct e2s_dirent *entry,
		      unsigned position)
{
	int dotdot = e2s_dirent_is_dotdot(entry);

	if (b->block->lblk || position != (unsigned)dotdot ||
	    (!dotdot && entry->ino != b->dir->ino) ||
	    (ext2fs_has_feature_filetype(b->run->fs->ext2->super) &&
	     entry->at[ENTRY_TYPE] != EXT2_FT_DIR))
		fault(b, E2S_FAULT_DOTS);
	else if (dotdot)
		b->dir->dotdot = entry->ino;
}

static int is_dot(const struct e2s_dirent *entry)
{
	return e2s_dirent_is_dot(entry) || e2s_dirent_is_dotdot(entry);
}

static void check_entry(struct block_read *b, const struct entry *entry,
			unsigned position)
{
	if (!b->block->lblk && position < 2 && !is_dot(&entry->dirent))
		fault(b, E2S_FAULT_DOTS);
	if (!entry->dirent.ino)
		return;
	if (is_dot(&entry->dirent))
		check_dot(b, &entry->dirent, position);
	else
		check_name(b, entry);
}

/* Checks the entries and then sets the numbers of those in use to 1. */
static void check_entries(struct block_read *b, uint8_t *data, uint32_t len)
{
	struct e2s_dirents walk;
	struct entries entries;
	const struct e2s_dirent *dirent;
	unsigned position = 0, i;
	int more;

	e2s_dirents_start(&walk, data, len, b->run->fs->geo.block_size);
	do {
		more = next_entries(b->run, &walk, &entries, WANT_TYPE);
		for (i = 0; i < entries.n; i++) {
			dirent = &entries.v[i].dirent;
			check_entry(b, &entries.v[i], position++);
			if (dirent->ino)
				e2s_put_le32(data + (dirent->at - data), 1);
		}
	} while (more > 0);
	if (more < 0)
		fault(b, E2S_FAULT_DIR_BLOCK);
}

static void check_block(struct block_read *b, uint8_t *data)
{
	const struct e2s_fs *fs = b->run->fs;
	const uint8_t *stored = NULL;
	uint32_t csum, index = 0;
	struct group *group;
	uint64_t hash;

	if (fs->geo.metadata_csum) {
		if (e2s_csum_dir_block(fs, e2s_csum_inode_seed(fs, b->dir->ino,
						b->dir->generation),
				       data, &stored, &csum) ==
		    E2S_DIR_NO_TAIL)
			stored = NULL;
		if (!stored || e2s_get_le32(stored) != csum)
			fault(b, E2S_FAULT_DIR_CSUM);
	}
	check_entries(b, data, fs->geo.block_size);
	if (stored)
		e2s_put_le32(data + (stored - data), 0);
	hash = e2s_verify_hash(HASH_DIR, b->block->blk, data,
			       fs->geo.block_size);
	digest_add(&b->worker->sum.digest[E2S_VERIFY_DIRS], hash);
	group = group_of(b->run, b->dir->ino, &index);
	x_add(group, index, hash);
}

/* --- phase 7 --- */

static void add_name(struct block_read *b, const struct entry *entry)
{
	const struct e2s_dirent *dirent = &entry->dirent;
	uint64_t hash;

	if (!dirent->ino || is_dot(dirent))
		return;
	hash = hash_words(HASH_LINK, b->dir->path,
			  e2s_verify_hash(HASH_NAME, 0, dirent->name,
					  dirent->name_len));
	digest_add(&b->worker->sum.digest[E2S_VERIFY_NAMES], hash);
	if (entry->group)
		x_add(entry->group, entry->index, hash);
}

static void add_names(struct block_read *b, uint8_t *data, uint32_t len)
{
	struct e2s_dirents walk;
	struct entries entries;
	unsigned i;
	int more;

	e2s_dirents_start(&walk, data, len, b->run->fs->geo.block_size);
	do {
		more = next_entries(b->run, &walk, &entries, WANT_X);
		for (i = 0; i < entries.n; i++)
			add_name(b, &entries.v[i]);
	} while (more > 0);
}

/* --- both --- */

struct pass {
	struct run *run;
	block_fn block;
	void (*part)(struct block_read *b, uint8_t *data, uint32_t len);
};

static void add_block(struct block_read *b, uint8_t *data)
{
	add_names(b, data, b->run->fs->geo.block_size);
}

/* DATA is the block of the inode table with the directory's inode. */
static void do_inline(const struct pass *pass, struct block_read *b,
		      uint8_t *data)
{
	const struct e2s_geometry *geo = &b->run->fs->geo;
	uint32_t index = (b->dir->ino - 1) % geo->inodes_per_group;
	struct inline_dir dir;
	unsigned i;

	data += (size_t)(index % geo->inodes_per_block) * geo->inode_size;
	if (!e2s_verify_inline_dir(b->run->fs, data, &dir))
		return;		/* phase 2 has said so */
	for (i = 0; i < dir.parts; i++)
		pass->part(b, dir.at[i], dir.len[i]);
}

/* Blocks that follow one another from V on, at most N: read at once. */
static size_t run_length(const struct dir_block *v, size_t n)
{
	size_t i;

	for (i = 1; i < n && v[i].blk == v[i - 1].blk + 1; i++)
		;
	return i;
}

static errcode_t do_chunk(void *ctx, uint64_t item, unsigned worker,
			  struct e2s_where *where)
{
	const struct pass *pass = ctx;
	struct run *run = pass->run;
	struct block_read b = { .run = run, .worker = &run->workers[worker] };
	const struct dir_block *v = run->all.blocks.v + item * CHUNK, *last;
	size_t n = run->all.blocks.n - item * CHUNK, count;
	uint8_t *data;
	errcode_t err;

	for (last = v + (n < CHUNK ? n : CHUNK); v < last; v += count) {
		count = (size_t)(last - v);
		if (count > run->read_blocks)
			count = run->read_blocks;
		count = run_length(v, count);
		data = b.worker->table;
		err = e2s_fs_read(run->fs, v->blk, count, data, where);
		if (err)
			return err;
		for (b.block = v; b.block < v + count; b.block++) {
			b.dir = &run->all.dirs.v[b.block->dir];
			if (b.block->lblk == LBLK_INLINE)
				do_inline(pass, &b, data);
			else
				pass->block(&b, data);
			data += run->fs->geo.block_size;
		}
	}
	return 0;
}

static errcode_t do_pass(struct pass *pass, struct e2s_where *where)
{
	struct run *run = pass->run;

	return e2s_workers_run(run->threads,
			       (run->all.blocks.n + CHUNK - 1) / CHUNK,
			       do_chunk, pass, where);
}

errcode_t e2s_verify_names(struct run *run, struct e2s_where *where)
{
	struct pass pass = { .run = run, .block = check_block,
			     .part = check_entries };

	return do_pass(&pass, where);
}

errcode_t e2s_verify_links(struct run *run, struct e2s_where *where)
{
	struct pass pass = { .run = run, .block = add_block,
			     .part = add_names };

	return do_pass(&pass, where);
}
