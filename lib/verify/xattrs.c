/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extended attributes: phase 4, their blocks, and phase 8, what EA inodes say
 * of their owners.
 *
 * Phase 4 relies on run->all.xattrs in order of blocks and reads each block
 * once.  Its checksum and contents depend on no inode number but those of EA
 * inodes, which never move; so the digest takes a block as it is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/internal.h"

#include <ext2fs/ext2_ext_attr.h>

#define HEADER_LEN sizeof(struct ext2_ext_attr_header)
#define ENTRY_LEN sizeof(struct ext2_ext_attr_entry)
#define CHECKSUM_AT offsetof(struct ext2_ext_attr_header, h_checksum)

uint8_t *e2s_verify_xattr_next(uint8_t **at, const uint8_t *end, int *bad)
{
	uint8_t *entry = *at;
	size_t left = (size_t)(end - entry);

	/* e2fsck wants no terminator where no entry would fit. */
	if (left < ENTRY_LEN || !e2s_get_le32(entry))
		return NULL;
	if (EXT2_EXT_ATTR_LEN(entry[0]) > left) {
		*bad = 1;
		return NULL;
	}
	*at = entry + EXT2_EXT_ATTR_LEN(entry[0]);
	return entry;
}

int e2s_verify_xattr_hash(uint8_t *raw, uint8_t *value)
{
	size_t hash_at = offsetof(struct ext2_ext_attr_entry, e_hash);
	uint32_t stored = e2s_get_le32(raw + hash_at), hash = 0, len, i;

	if (!stored)
		return 1;
	for (i = 0; i < raw[0]; i++)
		hash = hash << 5 ^ hash >> 27 ^ raw[ENTRY_LEN + i];
	len = e2s_get_le32(raw + offsetof(struct ext2_ext_attr_entry,
					  e_value_size));
	for (i = 0; i < len; i += 4)
		hash = hash << 16 ^ hash >> 16 ^ e2s_get_le32(value + i);
	return hash == stored;
}

/* k: ext4_xattr_block_csum: seeded with the block's le64 number. */
static int block_csum_match(const struct e2s_fs *fs, uint64_t blk,
			    const uint8_t *raw)
{
	uint8_t number[8], zero[4] = { 0 };
	uint32_t crc;

	e2s_put_le32(number, (uint32_t)blk);
	e2s_put_le32(number + 4, (uint32_t)(blk >> 32));
	crc = e2s_crc32c(fs->ext2->csum_seed, number, sizeof(number));
	crc = e2s_crc32c(crc, raw, CHECKSUM_AT);
	crc = e2s_crc32c(crc, zero, sizeof(zero));
	crc = e2s_crc32c(crc, raw + CHECKSUM_AT + 4,
			 fs->geo.block_size - CHECKSUM_AT - 4);
	return crc == e2s_get_le32(raw + CHECKSUM_AT);
}

/* Adds a reference for each of the N users of the block for each value that it
 * keeps in an EA inode. */
static errcode_t add_refs(struct run *run, struct e2s_verify *sum,
			  const struct xattr_use *uses, size_t n, uint8_t *raw)
{
	const uint8_t *end = raw + run->fs->geo.block_size;
	uint8_t *at = raw + HEADER_LEN, *entry;
	errcode_t err;
	int bad = 0;
	size_t i;

	while ((entry = e2s_verify_xattr_next(&at, end, &bad))) {
		uint32_t ea = e2s_get_le32(entry +
			offsetof(struct ext2_ext_attr_entry, e_value_inum));

		if (!ea)
			continue;
		err = e2s_vec_reserve(&run->all.refs, n);
		if (err)
			return err;
		for (i = 0; i < n; i++)
			run->all.refs.v[run->all.refs.n++] = (struct ea_ref){
				.owner = uses[i].ino, .ea = ea,
				.generation = uses[i].generation,
			};
	}
	if (bad)
		e2s_verify_note(run, sum, E2S_FAULT_XATTR, 0, uses->ino,
				uses->blk);
	return 0;
}

static errcode_t read_block(struct run *run, struct worker *worker,
			    const struct xattr_use *uses, size_t n,
			    struct e2s_where *where)
{
	struct e2s_verify *sum = &worker->sum;
	const struct e2s_fs *fs = run->fs;
	uint8_t *raw = worker->block;
	errcode_t err;

	err = e2s_fs_read(fs, uses->blk, 1, raw, where);
	if (err)
		return err;
	sum->xattr_blocks++;
	if (e2s_get_le32(raw) != EXT2_EXT_ATTR_MAGIC) {
		e2s_verify_note(run, sum, E2S_FAULT_XATTR, 0, uses->ino,
				uses->blk);
		return 0;
	}
	if (fs->geo.metadata_csum && !block_csum_match(fs, uses->blk, raw))
		e2s_verify_note(run, sum, E2S_FAULT_XATTR_CSUM, 0, uses->ino,
				uses->blk);
	digest_add(&sum->digest[E2S_VERIFY_XATTRS],
		   e2s_verify_hash(HASH_XATTR, uses->blk, raw,
				   fs->geo.block_size));
	if (!ext2fs_has_feature_ea_inode(fs->ext2->super))
		return 0;
	return add_refs(run, sum, uses, n, raw);
}

#define CHUNK 1024		/* uses that are one item of work */

/* The blocks whose first use lies in the chunk. */
static errcode_t read_chunk(void *ctx, uint64_t item, unsigned worker,
			    struct e2s_where *where)
{
	struct run *run = ctx;
	const struct xattr_use *v = run->all.xattrs.v;
	size_t n = run->all.xattrs.n, i = item * CHUNK, end = i + CHUNK, next;
	errcode_t err = 0;

	if (end > n)
		end = n;
	while (i && i < end && v[i].blk == v[i - 1].blk)
		i++;
	for (; i < end && !err; i = next) {
		for (next = i + 1; next < n && v[next].blk == v[i].blk; next++)
			;
		err = read_block(run, &run->workers[worker], v + i, next - i,
				 where);
	}
	return err;
}

errcode_t e2s_verify_xattr_blocks(struct run *run, struct e2s_where *where)
{
	/* References are rare enough to be noted by one thread. */
	unsigned threads = ext2fs_has_feature_ea_inode(run->fs->ext2->super)
				   ? 1 : run->threads;
	errcode_t err;

	err = e2s_workers_run(threads, (run->all.xattrs.n + CHUNK - 1) / CHUNK,
			      read_chunk, run, where);
	free(run->all.xattrs.v);
	run->all.xattrs.v = NULL;
	return err;
}

static struct ea_inode *find_ea(const struct run *run, uint32_t ino)
{
	size_t lo = 0, hi = run->all.eas.n, middle;

	while (lo < hi) {
		middle = lo + (hi - lo) / 2;
		if (run->all.eas.v[middle].ino < ino)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo < run->all.eas.n && run->all.eas.v[lo].ino == ino
		       ? &run->all.eas.v[lo] : NULL;
}

/*
 * Phase 8.  Relies on X being whole but for EA inodes.  An EA inode in the
 * manner of Lustre has its owner's number for i_mtime, and its generation
 * (k: EXT4_XATTR_INODE_GET_PARENT); then it belongs to that owner, whatever
 * number that has.
 */
errcode_t e2s_verify_ea_inodes(struct run *run, struct e2s_where *where)
{
	struct group *group, *of_owner;
	struct ea_inode *ea;
	uint32_t index = 0, owner_index = 0;
	size_t i;

	(void)where;
	for (i = 0; i < run->all.refs.n; i++) {
		const struct ea_ref *ref = &run->all.refs.v[i];

		ea = find_ea(run, ref->ea);
		of_owner = group_of(run, ref->owner, &owner_index);
		if (!ea) {
			e2s_verify_note(run, &run->workers[0].sum,
					E2S_FAULT_XATTR_REF, 0, ref->owner, 0);
			continue;
		}
		if (!of_owner || ea->owned || ea->mtime != ref->owner ||
		    ea->generation != ref->generation)
			continue;
		ea->owned = 1;
		group = group_of(run, ea->ino, &index);
		x_add(group, index, hash_words(HASH_OWNER,
					       of_owner->x[owner_index], 0));
	}
	for (i = 0; i < run->all.eas.n; i++) {
		ea = &run->all.eas.v[i];
		group = group_of(run, ea->ino, &index);
		if (!ea->owned)
			x_add(group, index, hash_words(HASH_MTIME, ea->mtime, 0));
	}
	return 0;
}
