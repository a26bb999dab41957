/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of a jbd2 transaction, in memory.  All numbers are big endian.
 *
 * Each starts with the same 12 bytes:
 *
 *      +----------+------+-----+
 *    0 | c03b3998 | type | tid |
 *      +----------+------+-----+
 *
 * A descriptor block (type 1) goes on with one tag for each of the logged
 * blocks that follow it, 16 bytes of UUID behind the first, and with CSUM_V2
 * or _V3 ends with its own checksum:
 *
 *      +-----+-------+-----+-----+- - -+-------------+
 *   12 | tag | uuid  | tag | tag |     | crc32c      |
 *      +-----+-------+-----+-----+- - -+-------------+
 *
 * tag, CSUM_V3:   | blk lo 32 | flags 32 | blk hi 32 | crc32c 32 |
 * tag, otherwise: | blk lo 32 | crc 16 | flags 16 | blk hi 32: only 64BIT |
 *                 and two bytes more with CSUM_V2, so that tags do not align
 *
 * The checksum of a tag is seeded with the journal's UUID and the tid and is
 * over the block as it is in the log.
 *
 * A commit block (type 2):
 *
 *      +--------+------+---+-------------------+- - -+--------+---------+
 *   12 | type 8 | size | 0 | checksum at 16    |     | sec 64 | nsec 32 |
 *      +--------+------+---+-------------------+- - -+--------+---------+
 *                                                   48       56
 */
#include <string.h>

#include "redo/journal.h"

enum {
	HEADER_SIZE = 12,
	UUID_SIZE = 16,
	TAIL_SIZE = 4,
	COMMIT_CSUM_TYPE = 12,
	COMMIT_CSUM_SIZE = 13,
	COMMIT_CSUM = 16,
	COMMIT_SEC = 48,
	COMMIT_NSEC = 56,
	CSUM_TYPE_CRC32 = 1,		/* k: JBD2_CRC32_CHKSUM */
	FLAG_ESCAPED = 1,
	FLAG_SAME_UUID = 2,
	FLAG_LAST = 8,
};

static const unsigned char magic[4] = { 0xc0, 0x3b, 0x39, 0x98 };

static void put_be16(unsigned char *p, uint32_t v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

static int has_tail(const struct e2s_journal_format *format)
{
	return (format->incompat & E2S_JBD2_CSUM_V2V3) != 0;
}

/* k: journal_tag_bytes() */
static uint32_t tag_size(uint32_t incompat)
{
	if (incompat & E2S_JBD2_CSUM_V3)
		return 16;
	return 8 + (incompat & E2S_JBD2_64BIT ? 4 : 0) +
	       (incompat & E2S_JBD2_CSUM_V2 ? 2 : 0);
}

void e2s_journal_format_init(struct e2s_journal_format *format,
			     const struct e2s_journal *journal,
			     uint32_t block_size, uint32_t max_tags)
{
	uint32_t space;

	format->block_size = block_size;
	format->incompat = journal->incompat;
	format->csum_v1 = (journal->compat & E2S_JBD2_COMPAT_CSUM) != 0;
	format->seed = e2s_crc32c(~0u, journal->raw + E2S_JSB_UUID, UUID_SIZE);
	format->tag_size = tag_size(journal->incompat);
	space = block_size - HEADER_SIZE - UUID_SIZE -
		(has_tail(format) ? TAIL_SIZE : 0);
	format->tags = space / format->tag_size;
	if (format->tags > max_tags)
		format->tags = max_tags;
}

static void put_header(unsigned char *block, uint32_t type, uint32_t tid)
{
	memcpy(block, magic, sizeof(magic));
	e2s_put_be32(block + 4, type);
	e2s_put_be32(block + 8, tid);
}

void e2s_journal_descriptor_init(const struct e2s_journal_format *format,
				 unsigned char *desc, uint32_t tid)
{
	memset(desc, 0, format->block_size);
	put_header(desc, E2S_JBD2_DESCRIPTOR, tid);
}

static unsigned char *tag_at(const struct e2s_journal_format *format,
			     unsigned char *desc, uint32_t i)
{
	return desc + HEADER_SIZE + (size_t)i * format->tag_size +
	       (i ? UUID_SIZE : 0);
}

static void set_flags(const struct e2s_journal_format *format,
		      unsigned char *tag, uint32_t flags)
{
	if (format->incompat & E2S_JBD2_CSUM_V3)
		e2s_put_be32(tag + 4, e2s_get_be32(tag + 4) | flags);
	else
		tag[7] |= (unsigned char)flags;
}

static void set_csum(const struct e2s_journal_format *format,
		     unsigned char *tag, uint32_t tid,
		     const unsigned char *logged)
{
	unsigned char seq[4];
	uint32_t crc;

	if (!has_tail(format))
		return;
	e2s_put_be32(seq, tid);
	crc = e2s_crc32c(format->seed, seq, sizeof(seq));
	crc = e2s_crc32c(crc, logged, format->block_size);
	if (format->incompat & E2S_JBD2_CSUM_V3)
		e2s_put_be32(tag + 12, crc);
	else
		put_be16(tag + 4, crc);
}

int e2s_journal_tag_set(const struct e2s_journal_format *format,
			unsigned char *desc, uint32_t i, uint32_t tid,
			uint64_t blk, unsigned char *logged)
{
	unsigned char *tag = tag_at(format, desc, i);
	int escaped = !memcmp(logged, magic, sizeof(magic));

	if (escaped)
		memset(logged, 0, sizeof(magic));
	e2s_put_be32(tag, (uint32_t)blk);
	if (format->incompat & (E2S_JBD2_CSUM_V3 | E2S_JBD2_64BIT))
		e2s_put_be32(tag + 8, (uint32_t)(blk >> 32));
	set_csum(format, tag, tid, logged);
	set_flags(format, tag, (escaped ? FLAG_ESCAPED : 0) |
			       (i ? FLAG_SAME_UUID : 0));
	return escaped;
}

void e2s_journal_descriptor_end(const struct e2s_journal_format *format,
				unsigned char *desc, uint32_t n)
{
	set_flags(format, tag_at(format, desc, n - 1), FLAG_LAST);
	if (has_tail(format))
		e2s_put_be32(desc + format->block_size - TAIL_SIZE,
			     e2s_crc32c(format->seed, desc,
					format->block_size));
}

void e2s_journal_commit_make(const struct e2s_journal_format *format,
			     unsigned char *block, uint32_t tid,
			     uint32_t crc_v1, uint64_t now)
{
	memset(block, 0, format->block_size);
	put_header(block, E2S_JBD2_COMMIT, tid);
	e2s_put_be32(block + COMMIT_SEC, (uint32_t)(now >> 32));
	e2s_put_be32(block + COMMIT_SEC + 4, (uint32_t)now);
	e2s_put_be32(block + COMMIT_NSEC, 0);
	if (format->csum_v1) {
		block[COMMIT_CSUM_TYPE] = CSUM_TYPE_CRC32;
		block[COMMIT_CSUM_SIZE] = 4;
		e2s_put_be32(block + COMMIT_CSUM, crc_v1);
	} else if (has_tail(format)) {
		e2s_put_be32(block + COMMIT_CSUM,
			     e2s_crc32c(format->seed, block,
					format->block_size));
	}
}
