/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scan/dirent.h"

#define DIRENT_HEAD 8		/* inode le32, rec_len le16, name_len, type */
#define DIRENT_LEAST 12

int e2s_dirents_next(struct e2s_dirents *walk, struct e2s_dirent *entry)
{
	const uint8_t *at = walk->at;
	size_t left = (size_t)(walk->end - at);
	uint32_t rec_len;

	if (!left)
		return 0;
	if (left < DIRENT_LEAST)
		return -1;
	rec_len = e2s_get_le16(at + 4);
	/* k: ext4_rec_len_from_disk */
	if (walk->block_size >= 65536 && (rec_len == 0 || rec_len == 65535))
		rec_len = 65536;
	if (rec_len < DIRENT_LEAST || rec_len % 4 || rec_len > left ||
	    DIRENT_HEAD + (uint32_t)at[6] > rec_len)
		return -1;
	entry->at = at;
	entry->ino = e2s_get_le32(at);
	entry->name_len = at[6];
	entry->name = (const char *)at + DIRENT_HEAD;
	walk->at = at + rec_len;
	return 1;
}
