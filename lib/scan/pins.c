/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pins.  While the itables go by, every inode is looked at (e2s_pins_inode);
 * attribute blocks and EA inodes are read afterwards, each once, in order of
 * place (e2s_scan_pins).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scan/internal.h"
#include "scan/readdir.h"
#include "scan/xattr.h"

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

static const struct {
	const char *words;
	errcode_t refuses;
} reasons[E2S_PIN_REASONS] = {
	[E2S_PIN_IMAGIC] = { "opened by number (IMAGIC)", E2S_ET_IMAGIC },
	[E2S_PIN_LUSTRE] = { "Lustre attributes", E2S_ET_LUSTRE },
	[E2S_PIN_NO_NAME] = { "without a name", 0 },
	[E2S_PIN_DTIME] = { "in use, but with a deletion time", 0 },
	[E2S_PIN_BAD_BLOCK] = { "in a bad block", 0 },
	[E2S_PIN_ENCRYPT_IV] = { "encrypted with its inode number", 0 },
	[E2S_PIN_ENCRYPT_UNKNOWN] = { "encrypted in an unknown way", 0 },
	[E2S_PIN_EVM] = { "signed with its inode number (EVM)", 0 },
	[E2S_PIN_HANDLE] = { "named by an overlayfs file handle", 0 },
	[E2S_PIN_EA_PARENT] = { "named by an EA inode", 0 },
	[E2S_PIN_ROOT] = { "the root directory", 0 },
	[E2S_PIN_LOST_FOUND] = { "lost+found", 0 },
};

const char *e2s_pin_words(enum e2s_pin_reason reason)
{
	return reasons[reason].words;
}

errcode_t e2s_pin_refuses(enum e2s_pin_reason reason)
{
	return reasons[reason].refuses;
}

static errcode_t add_pin(struct yield *yield, uint32_t ino,
			 enum e2s_pin_reason reason)
{
	errcode_t err = e2s_vec_reserve(&yield->pins, 1);

	if (!err)
		yield->pins.v[yield->pins.n++] = (struct e2s_pin){ ino, reason };
	return err;
}

/*
 * fscrypt context, k: struct fscrypt_context_v1 (28 bytes) and _v2 (40 bytes):
 *
 *     | version 1 or 2 | contents | filenames | flags | ...
 *
 * Of the flags, 3 say how names are padded, 4 is DIRECT_KEY; 8 and 16 put the
 * inode number into the initialisation vectors.
 */
static int fscrypt_pin(const struct e2s_xattr *xattr)
{
	const uint8_t *v = xattr->value;

	if (v && v[0] == 1 && xattr->value_len == 28 && !(v[3] & ~7))
		return -1;
	if (!v || v[0] != 2 || xattr->value_len != 40 || v[3] & ~0x1f)
		return E2S_PIN_ENCRYPT_UNKNOWN;
	return v[3] & 0x18 ? E2S_PIN_ENCRYPT_IV : -1;
}

/*
 * k: struct ovl_fb, an overlayfs file handle:
 *
 *     | version 0 | magic 0xfb | len | flags | type | uuid 16 | ino 32 | gen 32 |
 */
#define OVL_FB_LEN 29
#define OVL_FB_INO 21

static uint32_t handle_ino(const struct e2s_fs *fs, const struct e2s_xattr *xattr)
{
	const uint8_t *v = xattr->value;

	if (!v || xattr->value_len < OVL_FB_LEN || v[0] || v[1] != 0xfb ||
	    memcmp(v + 5, fs->ext2->super->s_uuid, 16))
		return 0;
	return e2s_get_le32(v + OVL_FB_INO);
}

static int is_handle(const struct e2s_xattr *xattr)
{
	return e2s_xattr_is(xattr, E2S_XATTR_TRUSTED, "overlay.origin") ||
	       e2s_xattr_is(xattr, E2S_XATTR_TRUSTED, "overlay.upper") ||
	       e2s_xattr_is(xattr, E2S_XATTR_USER, "overlay.origin") ||
	       e2s_xattr_is(xattr, E2S_XATTR_USER, "overlay.upper");
}

static int is_lustre(const struct e2s_xattr *xattr)
{
	return e2s_xattr_is(xattr, E2S_XATTR_TRUSTED, "lma") ||
	       e2s_xattr_is(xattr, E2S_XATTR_TRUSTED, "lov") ||
	       e2s_xattr_is(xattr, E2S_XATTR_TRUSTED, "link");
}

/* EVM type 5 leaves the number out; what is not known is kept in place. */
static int is_evm(const struct e2s_xattr *xattr)
{
	return e2s_xattr_is(xattr, E2S_XATTR_SECURITY, "evm") &&
	       (!xattr->value || !xattr->value_len || xattr->value[0] != 5);
}

/* What the attribute XATTR of INO pins, if anything. */
static errcode_t take_xattr(const struct e2s_fs *fs, struct yield *yield,
			    uint32_t ino, const struct e2s_xattr *xattr,
			    int *context)
{
	uint32_t target;
	errcode_t err;
	int reason;

	if (e2s_xattr_is(xattr, E2S_XATTR_ENCRYPTION, "c")) {
		*context = 1;
		reason = fscrypt_pin(xattr);
		return reason < 0 ? 0 : add_pin(yield, ino,
						(enum e2s_pin_reason)reason);
	}
	if (is_lustre(xattr))
		return add_pin(yield, ino, E2S_PIN_LUSTRE);
	if (is_evm(xattr))
		return add_pin(yield, ino, E2S_PIN_EVM);
	if (is_handle(xattr)) {
		target = handle_ino(fs, xattr);
		return target ? add_pin(yield, target, E2S_PIN_HANDLE) : 0;
	}
	if (!xattr->value_ino)
		return 0;
	err = e2s_vec_reserve(&yield->ea_refs, 1);
	if (!err)
		yield->ea_refs.v[yield->ea_refs.n++] = (struct ino_ref){
			.at = xattr->value_ino, .ino = ino };
	return err;
}

static errcode_t take_xattrs(const struct e2s_fs *fs, struct yield *yield,
			     uint32_t ino, struct e2s_xattrs *walk, int *context)
{
	struct e2s_xattr xattr;
	errcode_t err = 0;

	while (!err && e2s_xattrs_next(walk, &xattr) > 0)
		err = take_xattr(fs, yield, ino, &xattr, context);
	return err;
}

errcode_t e2s_pins_inode(const struct e2s_fs *fs, struct yield *yield,
			 uint32_t ino, const uint8_t *raw)
{
	uint32_t flags = e2s_get_le32(AT(i_flags));
	uint64_t blk = e2s_inode_xattr_blk(fs, raw);
	struct e2s_xattrs walk;
	errcode_t err = 0;
	int context = 0;

	if (flags & EXT2_IMAGIC_FL)
		err = add_pin(yield, ino, E2S_PIN_IMAGIC);
	if (!err && e2s_get_le32(AT(i_dtime)))
		err = add_pin(yield, ino, E2S_PIN_DTIME);
	if (!err && e2s_xattrs_start_inode(fs, raw, &walk))
		err = take_xattrs(fs, yield, ino, &walk, &context);
	if (!err && blk) {
		err = e2s_vec_reserve(&yield->xattr_refs, 1);
		if (!err)
			yield->xattr_refs.v[yield->xattr_refs.n++] =
				(struct ino_ref){ .at = blk, .ino = ino,
					.no_context = flags & EXT4_ENCRYPT_FL &&
						      !context };
	} else if (!err && flags & EXT4_ENCRYPT_FL && !context) {
		err = add_pin(yield, ino, E2S_PIN_ENCRYPT_UNKNOWN);
	}
	return err;
}

static int by_at(const void *a, const void *b)
{
	const struct ino_ref *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* One attribute block, and all the inodes that refer to it. */
static errcode_t take_block(struct run *run, struct yield *found,
			    const struct ino_ref *ref, const uint8_t *block)
{
	struct e2s_xattrs walk;
	errcode_t err = 0;
	int context = 0;

	if (e2s_xattrs_start_block(run->fs, block, &walk))
		err = take_xattrs(run->fs, found, ref->ino, &walk, &context);
	else
		e2s_yield_problem(found, E2S_PROBLEM_XATTR_BLOCK,
			e2s_geometry_group(&run->fs->geo, ref->ino),
			ref->ino, ref->at);
	if (!err && ref->no_context && !context)
		err = add_pin(found, ref->ino, E2S_PIN_ENCRYPT_UNKNOWN);
	return err;
}

static errcode_t scan_xattr_blocks(struct run *run, struct yield *found,
				   struct e2s_where *where)
{
	const struct e2s_geometry *geo = &run->fs->geo;
	uint8_t *block = malloc(geo->block_size);
	const struct ino_ref *ref;
	errcode_t err = block ? 0 : ENOMEM;
	uint64_t have = 0;
	size_t i;

	if (run->xattr_refs.n)
		qsort(run->xattr_refs.v, run->xattr_refs.n,
		      sizeof(*run->xattr_refs.v), by_at);
	for (i = 0; i < run->xattr_refs.n && !err; i++) {
		ref = &run->xattr_refs.v[i];
		if (ref->at <= geo->first_data_block || ref->at >= geo->blocks) {
			e2s_yield_problem(found, E2S_PROBLEM_XATTR_BLOCK,
				e2s_geometry_group(geo, ref->ino),
				ref->ino, ref->at);
			continue;
		}
		if (ref->at != have)
			err = e2s_fs_read(run->fs, ref->at, 1, block, where);
		have = ref->at;
		if (!err)
			err = take_block(run, found, ref, block);
	}
	free(block);
	return err;
}

/*
 * EA inodes in Lustre's style hold the number of the inode they belong to in
 * i_mtime, and share its generation (k: ext4_xattr_inode_iget,
 * e2fsck: check_large_ea_inode).
 */
static errcode_t scan_ea_inodes(struct run *run, struct yield *found,
				struct e2s_where *where)
{
	const struct e2s_geometry *geo = &run->fs->geo;
	uint8_t *block = malloc(geo->block_size), *raw;
	uint32_t group, index;
	errcode_t err = block ? 0 : ENOMEM;
	size_t i;

	for (i = 0; i < run->ea_refs.n && !err; i++) {
		const struct ino_ref *ref = &run->ea_refs.v[i];

		if (!ref->at || ref->at > geo->inodes)
			continue;
		group = e2s_geometry_group(geo, (uint32_t)ref->at);
		index = e2s_geometry_index(geo, (uint32_t)ref->at);
		err = e2s_fs_read(run->fs, e2s_fs_itable_blk(run->fs, group) +
				  index / geo->inodes_per_block, 1, block,
				  where);
		raw = block + index % geo->inodes_per_block * geo->inode_size;
		if (!err && e2s_get_le32(AT(i_mtime)) == ref->ino)
			err = add_pin(found, ref->ino, E2S_PIN_EA_PARENT);
	}
	free(block);
	return err;
}

/* All bad blocks in ascending order; *BLKS is for free(). */
static errcode_t read_bad_blocks(const struct e2s_fs *fs, uint32_t **blks,
				 size_t *n)
{
	E2S_VEC(uint32_t) vec = { 0 };
	ext2_u32_list list = NULL;
	ext2_u32_iterate it = NULL;
	errcode_t err;
	blk_t blk;

	err = ext2fs_read_bb_inode(fs->ext2, &list);
	if (!err)
		err = ext2fs_badblocks_list_iterate_begin(list, &it);
	while (!err && ext2fs_badblocks_list_iterate(it, &blk)) {
		err = e2s_vec_reserve(&vec, 1);
		if (!err)
			vec.v[vec.n++] = blk;
	}
	if (it)
		ext2fs_badblocks_list_iterate_end(it);
	if (list)
		ext2fs_badblocks_list_free(list);
	*blks = vec.v;
	*n = vec.n;
	return err;
}

/* The first bad block that is START or above. */
static size_t first_bad(const uint32_t *blks, size_t n, uint64_t start)
{
	size_t low = 0, mid;

	while (low < n) {
		mid = low + (n - low) / 2;
		if (blks[mid] < start)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* Inodes in bad blocks stay; plan keeps others out of them. */
static errcode_t scan_bad_blocks(struct run *run, struct yield *found)
{
	const struct e2s_geometry *geo = &run->fs->geo;
	uint32_t group, ino, k, *blks = NULL;
	size_t i, n = 0;
	uint64_t start;
	errcode_t err;

	if (read_bad_blocks(run->fs, &blks, &n)) {
		e2s_yield_problem(found, E2S_PROBLEM_BAD_BLOCKS, 0,
				  EXT2_BAD_INO, 0);
		n = 0;
	}
	err = 0;
	for (group = 0; n && group < geo->groups && !err; group++) {
		start = e2s_fs_itable_blk(run->fs, group);
		for (i = first_bad(blks, n, start);
		     i < n && blks[i] < start + geo->itable_blocks; i++) {
			ino = group * geo->inodes_per_group + 1 +
			      (uint32_t)(blks[i] - start) * geo->inodes_per_block;
			for (k = 0; k < geo->inodes_per_block && !err; k++)
				err = add_pin(found, ino + k,
					      E2S_PIN_BAD_BLOCK);
		}
	}
	free(blks);
	return err;
}

static int is_called(const struct e2s_names *names, size_t i, const char *name)
{
	return e2s_name_len(names, i) == strlen(name) &&
	       !memcmp(e2s_name_text(names, i), name, strlen(name));
}

static errcode_t pin_directories(struct run *run, struct yield *found)
{
	const struct e2s_scan *scan = run->scan;
	uint32_t root = e2s_scan_dir_number(scan, EXT2_ROOT_INO);
	uint32_t lost = run->fs->ext2->super->s_lpf_ino;
	struct e2s_names names = { 0 };
	errcode_t err = 0;
	size_t i;

	if (root == E2S_DIR_NONE)
		return 0;
	err = e2s_scan_readdir(scan, root, E2S_READDIR_BYTES, &names, NULL);
	for (i = 0; i < names.n && !err; i++) {
		if (!lost && is_called(&names, i, "lost+found"))
			lost = names.v[i].ino;
		/* What a Lustre target has in its root. */
		if (is_called(&names, i, "oi.16.0") ||
		    is_called(&names, i, "CONFIGS"))
			err = add_pin(found, names.v[i].ino, E2S_PIN_LUSTRE);
	}
	e2s_names_free(&names);
	if (!err)
		err = add_pin(found, EXT2_ROOT_INO, E2S_PIN_ROOT);
	if (!err && lost)
		err = add_pin(found, lost, E2S_PIN_LOST_FOUND);
	return err;
}

static int by_ino(const void *a, const void *b)
{
	const struct e2s_pin *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->reason < y->reason ? -1 : x->reason > y->reason;
}

static void drop_doubles(struct run *run)
{
	struct e2s_pin *pins = run->pins.v;
	size_t i, kept = 0;

	if (run->pins.n)
		qsort(pins, run->pins.n, sizeof(*pins), by_ino);
	for (i = 0; i < run->pins.n; i++)
		if (!kept || pins[kept - 1].ino != pins[i].ino)
			pins[kept++] = pins[i];
	run->pins.n = kept;
}

errcode_t e2s_scan_pins(struct run *run, struct e2s_where *where)
{
	struct yield *found;
	errcode_t err;

	if (!(run->flags & E2S_SCAN_PINS))
		return 0;
	found = calloc(1, sizeof(*found));
	if (!found)
		return ENOMEM;
	err = scan_xattr_blocks(run, found, where);
	if (!err)
		err = e2s_run_take_lists(run, found, 0);
	if (!err)
		err = scan_ea_inodes(run, found, where);
	if (!err)
		err = scan_bad_blocks(run, found);
	if (!err)
		err = pin_directories(run, found);
	if (!err)
		err = e2s_run_take_lists(run, found, 0);
	e2s_yield_merge(run->scan, found);
	if (!err)
		drop_doubles(run);
	return err;
}
