/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults: words for them, and sums that do not depend on who came first. */
#include "verify/internal.h"

static const char *const fault_words[E2S_FAULT_KINDS] = {
	[E2S_FAULT_SUPER] =
		"the superblock's checksum is wrong or it is not the one opened",
	[E2S_FAULT_DESC_CSUM] = "a group descriptor's checksum is wrong",
	[E2S_FAULT_DESC] = "a group descriptor contradicts itself",
	[E2S_FAULT_HIGH_WATER] =
		"the number of never used inodes of a group is wrong",
	[E2S_FAULT_BITMAP_CSUM] = "an inode bitmap's checksum is wrong",
	[E2S_FAULT_BITMAP] = "an inode bitmap and its inodes disagree",
	[E2S_FAULT_BITMAP_PADDING] = "the padding of an inode bitmap is not set",
	[E2S_FAULT_FREE_COUNT] = "a group's number of free inodes is wrong",
	[E2S_FAULT_DIRS_COUNT] = "a group's number of directories is wrong",
	[E2S_FAULT_FREE_SUM] = "the superblock's number of free inodes is wrong",
	[E2S_FAULT_INODE_CSUM] = "an inode's checksum is wrong",
	[E2S_FAULT_INODE_MODE] = "an inode in use has no known file type",
	[E2S_FAULT_FREE_SLOT] =
		"a free inode is neither zero nor properly deleted",
	[E2S_FAULT_EXTENT_CSUM] = "an extent block's checksum is wrong",
	[E2S_FAULT_EXTENT] = "an extent tree is damaged",
	[E2S_FAULT_XATTR_CSUM] = "an extended attribute block's checksum is wrong",
	[E2S_FAULT_XATTR] = "extended attributes are damaged",
	[E2S_FAULT_XATTR_REF] =
		"an extended attribute leads to no inode made for its value",
	[E2S_FAULT_DIR_MAP] = "a directory's blocks cannot be found, or are not its own",
	[E2S_FAULT_DIR_CSUM] = "a directory block's checksum is wrong",
	[E2S_FAULT_DIR_BLOCK] = "a directory block's entries do not fill it",
	[E2S_FAULT_DOTS] = "'.' or '..' of a directory is wrong",
	[E2S_FAULT_NAME] = "a name leads to no inode in use",
	[E2S_FAULT_NAME_TYPE] = "the file type beside a name is wrong",
	[E2S_FAULT_LINKS] = "an inode's number of links is not that of its names",
	[E2S_FAULT_DIR_LINKS] =
		"a directory's number of links is not that of its subdirectories",
	[E2S_FAULT_DIR_NAMES] = "a directory has no name, or more than one",
	[E2S_FAULT_DIR_LOOP] = "a directory cannot be reached from the root",
};

static const char *const part_words[E2S_VERIFY_PARTS] = {
	[E2S_VERIFY_GROUPS] = "group descriptors",
	[E2S_VERIFY_INODES] = "inodes",
	[E2S_VERIFY_XATTRS] = "extended attribute blocks",
	[E2S_VERIFY_DIRS] = "directory blocks",
	[E2S_VERIFY_NAMES] = "names",
	[E2S_VERIFY_TREE] = "which name leads to which file",
	[E2S_VERIFY_PLACES] = "inode numbers",
};

const char *e2s_fault_words(enum e2s_fault_kind kind)
{
	return fault_words[kind];
}

const char *e2s_verify_part_words(enum e2s_verify_part part)
{
	return part_words[part];
}

uint64_t e2s_verify_faults(const struct e2s_verify *verify)
{
	uint64_t n = 0;
	unsigned kind;

	for (kind = 0; kind < E2S_FAULT_KINDS; kind++)
		n += verify->fault[kind].n;
	return n;
}

static int lower_place(const struct e2s_fault *a, const struct e2s_fault *b)
{
	if (a->group != b->group)
		return a->group < b->group;
	if (a->ino != b->ino)
		return a->ino < b->ino;
	return a->blk < b->blk;
}

static void add_fault(struct e2s_fault *to, const struct e2s_fault *from)
{
	uint64_t n = to->n + from->n;

	if (from->n && (!to->n || lower_place(from, to)))
		*to = *from;
	to->n = n;
}

void e2s_verify_note(const struct run *run, struct e2s_verify *sum,
		     enum e2s_fault_kind kind, uint32_t group, uint32_t ino,
		     uint64_t blk)
{
	struct e2s_fault fault = { .n = 1, .group = group, .ino = ino,
				   .blk = blk };

	if (ino)
		fault.group = (ino - 1) / run->fs->geo.inodes_per_group;
	add_fault(&sum->fault[kind], &fault);
}

void e2s_verify_merge(struct e2s_verify *to, const struct e2s_verify *from)
{
	unsigned i;

	for (i = 0; i < E2S_VERIFY_PARTS; i++)
		digest_sum(&to->digest[i], &from->digest[i]);
	for (i = 0; i < E2S_FAULT_KINDS; i++)
		add_fault(&to->fault[i], &from->fault[i]);
	to->inodes += from->inodes;
	to->directories += from->directories;
	to->names += from->names;
	to->extent_blocks += from->extent_blocks;
	to->xattr_blocks += from->xattr_blocks;
}
