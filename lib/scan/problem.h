/* SPDX-License-Identifier: GPL-2.0-or-later */
/* problem: what a scan finds wrong, and where. */
#ifndef E2S_SCAN_PROBLEM_H
#define E2S_SCAN_PROBLEM_H

#include <stdint.h>

enum e2s_problem_kind {
	E2S_PROBLEM_DESC_CSUM,		/* group descriptor checksum */
	E2S_PROBLEM_BITMAP_CSUM,	/* inode bitmap checksum */
	E2S_PROBLEM_BITMAP,		/* bitmap and inode table disagree */
	E2S_PROBLEM_INODE_CSUM,		/* inode checksum */
	E2S_PROBLEM_INODE_GARBAGE,	/* no file type has this mode */
	E2S_PROBLEM_DIR_MAP,		/* directory's blocks cannot be found */
	E2S_PROBLEM_DIR_TWICE,		/* block of two directories */
	E2S_PROBLEM_DIR_CSUM,		/* directory block checksum */
	E2S_PROBLEM_DIR_BLOCK,		/* directory block's entries */
	E2S_PROBLEM_ENTRY,		/* name of an inode not in use */
	E2S_PROBLEM_DIR_NAMES,		/* directory without a name, or with two */
	E2S_PROBLEM_DIR_LOST,		/* directory that is below itself */
	E2S_PROBLEM_NO_NAME,		/* inode in use without a name */
	E2S_PROBLEM_LINKS,		/* names and i_links_count differ */
	E2S_PROBLEM_XATTR_BLOCK,	/* not a block of attributes */
	E2S_PROBLEM_EXTENTS,		/* a file's extent tree */
	E2S_PROBLEM_BAD_BLOCKS,		/* the list of bad blocks */
	E2S_PROBLEM_KINDS
};

struct e2s_problem {
	enum e2s_problem_kind kind;
	uint32_t group;
	uint32_t ino;		/* 0: none */
	uint64_t blk;		/* 0: none */
};

/* How many problems are kept with their place; all are counted. */
#define E2S_PROBLEMS_KEPT 1000

/* A few words for KIND. */
const char *e2s_problem_words(enum e2s_problem_kind kind);

#endif
