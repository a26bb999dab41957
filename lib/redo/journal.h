/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log in the file system's own journal, as jbd2 reads it: map.c finds its
 * blocks, tags.c builds its blocks in memory, jbd2.c writes them in order.
 */
#ifndef E2S_REDO_JOURNAL_H
#define E2S_REDO_JOURNAL_H

#include "fs/journal.h"
#include "redo/internal.h"

/* Blocks of the journal file that follow one another on the device. */
struct e2s_journal_run {
	uint32_t pos, n;	/* blocks of the file */
	uint64_t blk;		/* where the first lies */
};

struct e2s_owned {
	uint64_t blk, n;
};

struct e2s_journal_map {
	struct { struct e2s_journal_run *v; size_t n, room; } runs;
	/* The same and the file's own metadata, by block. */
	struct { struct e2s_owned *v; size_t n, room; } owned;
};

/* Maps the journal file, whose first BLOCKS blocks must be there. */
errcode_t e2s_journal_map_read(const struct e2s_fs *fs, uint32_t blocks,
			       struct e2s_journal_map *map,
			       struct e2s_where *where);
void e2s_journal_map_free(struct e2s_journal_map *map);

/* Where block POS of the journal lies; LEFT blocks from it on are in a row. */
uint64_t e2s_journal_map_find(const struct e2s_journal_map *map, uint32_t pos,
			      uint32_t *left);
int e2s_journal_map_owns(const struct e2s_journal_map *map, uint64_t blk);

/* How this journal writes its blocks. */
struct e2s_journal_format {
	uint32_t block_size;
	uint32_t incompat;	/* enum e2s_jbd2_incompat, or'ed */
	int csum_v1;		/* one crc32 over a transaction's log blocks */
	uint32_t seed;		/* of all checksums of V2 and V3 */
	uint32_t tag_size;	/* bytes */
	uint32_t tags;		/* that go into one descriptor block */
};

void e2s_journal_format_init(struct e2s_journal_format *format,
			     const struct e2s_journal *journal,
			     uint32_t block_size, uint32_t max_tags);

/* Starts an empty descriptor block of transaction TID. */
void e2s_journal_descriptor_init(const struct e2s_journal_format *format,
				 unsigned char *desc, uint32_t tid);

/*
 * Makes tag number I of DESC: LOGGED, block-sized, goes to BLK.  Escapes
 * LOGGED if it could be taken for a block of the journal and returns 1 then.
 */
int e2s_journal_tag_set(const struct e2s_journal_format *format,
			unsigned char *desc, uint32_t i, uint32_t tid,
			uint64_t blk, unsigned char *logged);

/* Ends DESC, which has N tags. */
void e2s_journal_descriptor_end(const struct e2s_journal_format *format,
				unsigned char *desc, uint32_t n);

/* Makes the commit block; CRC_V1 counts with csum_v1 only. */
void e2s_journal_commit_make(const struct e2s_journal_format *format,
			     unsigned char *block, uint32_t tid,
			     uint32_t crc_v1, uint64_t now);

#endif
