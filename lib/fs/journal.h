/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs/journal: the superblock of the internal journal, checked and in the
 * machine's byte order.  Reads only; lib/redo writes.
 */
#ifndef E2S_FS_JOURNAL_H
#define E2S_FS_JOURNAL_H

#include "fs/fs.h"

/*
 * The journal's superblock: block 0 of the journal file, all numbers big
 * endian.  Every field that changes, and the checksum, lie in the first 512
 * bytes, so that updating it is one sector's write.
 *
 *   00 +-----------+-----------+-----------+-----------+
 *      |  c03b3998 | type 3, 4 |  0        | blocksize |
 *   10 +-----------+-----------+-----------+-----------+
 *      |  maxlen   |  first    | sequence  |  start    |
 *   20 +-----------+-----------+-----------+-----------+
 *      |  errno    | compat    | incompat  | ro_compat |  <- type 3 (V1)
 *   30 +-----------+-----------+-----------+-----------+     ends at 24
 *      |                      uuid                     |
 *   40 +-----------+-----------+-----------+-----------+
 *      | nr_users  |           |           |           |
 *   50 +--+--------+-----------+-----------+-----------+
 *      |ct|        | num_fc    |  head     |           |  ct: 4 = crc32c
 *   60 +--+--------+-----------+-----------+-----------+
 *      :                                   | checksum  :  at fc, with CSUM_V2
 *  100 +-----------------------------------+-----------+  or _V3: crc32c(~0,
 *      :                users, to 400                  :  the 1024 bytes)
 */
enum e2s_jsb_field {
	E2S_JSB_MAGIC = 0x00,
	E2S_JSB_TYPE = 0x04,
	E2S_JSB_BLOCK_SIZE = 0x0c,
	E2S_JSB_MAXLEN = 0x10,		/* blocks of the journal */
	E2S_JSB_FIRST = 0x14,		/* first block of the log */
	E2S_JSB_SEQUENCE = 0x18,	/* first transaction to be expected */
	E2S_JSB_START = 0x1c,		/* its block; 0: the log is empty */
	E2S_JSB_ERRNO = 0x20,		/* why the kernel gave the journal up */
	E2S_JSB_COMPAT = 0x24,
	E2S_JSB_INCOMPAT = 0x28,
	E2S_JSB_RO_COMPAT = 0x2c,
	E2S_JSB_UUID = 0x30,		/* seeds all checksums in the log */
	E2S_JSB_USERS = 0x40,
	E2S_JSB_CSUM_TYPE = 0x50,	/* one byte */
	E2S_JSB_NUM_FC = 0x54,		/* fast-commit blocks; 0 means 256 */
	E2S_JSB_CSUM = 0xfc,
	E2S_JSB_SIZE = 0x400,
};

#define E2S_JBD2_MAGIC 0xc03b3998u
#define E2S_JBD2_MIN_BLOCKS 1024	/* k: JBD2_MIN_JOURNAL_BLOCKS */

enum e2s_jbd2_type {
	E2S_JBD2_DESCRIPTOR = 1,
	E2S_JBD2_COMMIT = 2,
	E2S_JBD2_SUPER_V1 = 3,
	E2S_JBD2_SUPER_V2 = 4,
};

enum e2s_jbd2_compat { E2S_JBD2_COMPAT_CSUM = 1 };

enum e2s_jbd2_incompat {
	E2S_JBD2_REVOKE = 1,
	E2S_JBD2_64BIT = 2,
	E2S_JBD2_ASYNC_COMMIT = 4,
	E2S_JBD2_CSUM_V2 = 8,
	E2S_JBD2_CSUM_V3 = 0x10,
	E2S_JBD2_FAST_COMMIT = 0x20,
};

#define E2S_JBD2_CSUM_V2V3 (E2S_JBD2_CSUM_V2 | E2S_JBD2_CSUM_V3)

struct e2s_journal {
	uint64_t super_blk;	/* block of the file system that holds it */
	uint32_t type;		/* E2S_JBD2_SUPER_V1 or _V2 */
	uint32_t maxlen;	/* blocks */
	uint32_t first;		/* the log is the blocks first .. last - 1 */
	uint32_t last;
	uint32_t fc_first;	/* first fast-commit block, 0 for none */
	uint32_t sequence;
	uint32_t start;
	uint32_t error;
	uint32_t users;
	uint32_t compat, incompat, ro_compat;	/* 0 in V1 */
	unsigned char raw[E2S_JSB_SIZE];	/* as on disk */
};

/*
 * Reads the superblock of FS's internal journal.  Returns E2S_ET_JOURNAL_BAD,
 * the reason in WHERE, when it cannot be read or makes no sense.  Whether the
 * log is empty, shared or in error, and whether its features are known, is for
 * the caller.
 */
errcode_t e2s_fs_journal_read(const struct e2s_fs *fs, struct e2s_journal *ret,
			      struct e2s_where *where);

/* True when FS has a journal and it is a file of its own. */
int e2s_fs_journal_internal(const struct e2s_fs *fs);

/* Big-endian 32-bit numbers at any address. */
static inline uint32_t e2s_get_be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static inline void e2s_put_be32(unsigned char *p, uint32_t v)
{
	p[0] = (unsigned char)(v >> 24);
	p[1] = (unsigned char)(v >> 16);
	p[2] = (unsigned char)(v >> 8);
	p[3] = (unsigned char)v;
}

/* The checksum that RAW, a journal superblock of V2 or V3, should carry. */
uint32_t e2s_jsb_csum(const unsigned char raw[E2S_JSB_SIZE]);

#endif
