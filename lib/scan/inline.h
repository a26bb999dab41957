/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inline: directories that live in their inode (inline_data).  i_block begins
 * with the le32 number of the parent, which stands for ".."; entries follow,
 * and go on in the value of the attribute system.data.
 */
#ifndef E2S_SCAN_INLINE_H
#define E2S_SCAN_INLINE_H

#include "fs/csum.h"

struct e2s_inline_part {
	const uint8_t *at;
	uint32_t len;
};

/*
 * Finds the parts of the inline directory RAW that hold entries.  Returns how
 * many there are (1 or 2), or 0 when the inode makes no sense.
 */
unsigned e2s_inline_parts(const struct e2s_fs *fs, const uint8_t *raw,
			  struct e2s_inline_part parts[2]);

/*
 * Sets the hash of the attribute system.data anew after its value changed,
 * where there is one: the kernel writes 0, which e2fsck does not check.
 */
void e2s_inline_rehash(const struct e2s_fs *fs, uint8_t *raw);

#endif
