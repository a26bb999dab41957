/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dirent: walks the entries of a directory block, or of the part of an inline
 * directory, as raw little-endian bytes.  Serves linear and htree blocks alike:
 * index data hides behind the record lengths (k: ext4_search_dir).
 */
#ifndef E2S_SCAN_DIRENT_H
#define E2S_SCAN_DIRENT_H

#include "fs/csum.h"

struct e2s_dirent {
	const uint8_t *at;	/* the entry; its le32 inode number is here */
	const char *name;
	uint32_t ino;		/* 0: unused entry */
	uint8_t name_len;
};

struct e2s_dirents {
	const uint8_t *at, *end;
	uint32_t block_size;	/* for the record lengths of 64 KiB blocks */
};

static inline void e2s_dirents_start(struct e2s_dirents *walk, const void *data,
				     uint32_t len, uint32_t block_size)
{
	walk->at = data;
	walk->end = walk->at + len;
	walk->block_size = block_size;
}

/*
 * The next entry: 1 and *ENTRY filled, 0 at the end, -1 when the record length
 * does not fit (the walk is over then).  Each step goes at least 12 bytes on.
 */
int e2s_dirents_next(struct e2s_dirents *walk, struct e2s_dirent *entry);

static inline int e2s_dirent_is_dot(const struct e2s_dirent *entry)
{
	return entry->name_len == 1 && entry->name[0] == '.';
}

static inline int e2s_dirent_is_dotdot(const struct e2s_dirent *entry)
{
	return entry->name_len == 2 && entry->name[0] == '.' &&
	       entry->name[1] == '.';
}

#endif
