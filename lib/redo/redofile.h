/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The redo file on disk; doc/redo-file.md says why it is so.  All numbers are
 * little endian.
 *
 *        0 | head A |  4096 | head B |  8192 | superblock as it was |
 *    65536 | data of block 0 | data of block 1 | ... | data of block n-1 |
 *          | list: n entries                                            |
 *
 * A head is written to A and B in turn; the one with the higher generation
 * whose checksum is right counts.
 *
 *     head  +-----------+-----------+-----------+-----------+
 *        00 | "e2sredo\0"           | version   | blocksize |
 *        10 |                  UUID                         |
 *        20 | super crc | state     |      generation       |
 *        30 |        batch          |   n blocks            |
 *        40 | list crc  | 0 ...                             |
 *       1f0 |                                   | head crc  |
 *           +-----------+-----------+-----------+-----------+
 *
 *     entry | block 64  | data number 32 | crc32c of the data 32 |
 */
#ifndef E2S_REDO_REDOFILE_H
#define E2S_REDO_REDOFILE_H

#include "redo/internal.h"

enum e2s_redofile_layout {
	E2S_REDOFILE_HEAD_A = 0,
	E2S_REDOFILE_HEAD_B = 4096,
	E2S_REDOFILE_SUPER = 8192,
	E2S_REDOFILE_DATA = 65536,
	E2S_REDOFILE_HEAD_SIZE = 512,
	E2S_REDOFILE_ENTRY_SIZE = 16,
	E2S_REDOFILE_VERSION = 1,
};

enum e2s_redofile_state {
	E2S_REDOFILE_EMPTY = 0,		/* no batch: all is in place */
	E2S_REDOFILE_COMMITTED = 1,	/* the batch is to be put in place */
};

/* A head in the machine's byte order. */
struct e2s_redofile_head {
	uint32_t block_size;
	unsigned char uuid[16];
	uint32_t super_crc;
	uint32_t state;		/* enum e2s_redofile_state */
	uint64_t generation;
	uint64_t batch;		/* counts from 1 */
	uint64_t blocks;	/* of the batch */
	uint32_t list_crc;
};

struct e2s_redofile {
	int fd;
	char *path;
	struct e2s_redofile_head head;
	unsigned char super[SUPERBLOCK_SIZE];
	uint32_t next;		/* data number of the next block put */
	uint64_t room;		/* blocks that fit */
};

/* Reads or writes SIZE bytes, all of them or an error. */
errcode_t e2s_redofile_read(const struct e2s_redofile *file, uint64_t at,
			    void *buf, size_t size);
errcode_t e2s_redofile_write(const struct e2s_redofile *file, uint64_t at,
			     const void *buf, size_t size);

/* Writes file->head as the next generation; on the disk when it returns. */
errcode_t e2s_redofile_write_head(struct e2s_redofile *file);

/* Fills file->head from the newer good head; E2S_ET_NOT_REDO if none is. */
errcode_t e2s_redofile_read_head(struct e2s_redofile *file);

/*
 * Reads the list of the committed batch and compares every checksum; nothing
 * but E2S_ET_REDO_DAMAGED, errno values and ENOMEM.  list->v is the caller's.
 */
errcode_t e2s_redofile_read_list(const struct e2s_redofile *file,
				 struct e2s_redo_list *list,
				 struct e2s_where *where);

/* Writes LIST, sorted, behind its data and notes it in file->head. */
errcode_t e2s_redofile_write_list(struct e2s_redofile *file,
				  const struct e2s_redo_list *list);

/* Brings the file's name to the disk. */
errcode_t e2s_redofile_sync_dir(const struct e2s_redofile *file);

/* Removes the file so that it stays removed. */
errcode_t e2s_redofile_unlink(const struct e2s_redofile *file);

static inline uint64_t e2s_redofile_data_at(const struct e2s_redofile *file,
					    uint64_t pos)
{
	return E2S_REDOFILE_DATA + pos * file->head.block_size;
}

/*
 * Opens the redo file PATH of an interrupted run: *SELF is for
 * e2s_redo_file_log, whose put() and seal() it must not see, *REDO lies in it.
 */
errcode_t e2s_redo_file_reopen(const char *path, void **self,
			       struct e2s_redofile **redo);

/* Closes FILE and frees what belongs to it, but not itself. */
void e2s_redofile_release(struct e2s_redofile *file);

#endif
