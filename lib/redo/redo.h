/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redo: atomic groups of block writes.
 *
 * The new contents of all blocks of a batch go to a log first; then one write,
 * the commit point, makes the log valid; then the blocks are written in place.
 * A power cut finds, once recovered, the batch done or not begun, never half.
 * The log is the file system's own journal, which every mount and e2fsck
 * replays, or where there is none a redo file on another file system, which
 * e2s_redo_resume() replays (its format: doc/redo-file.md).
 *
 * It knows nothing of inodes: what a batch must hold so that the file system
 * is consistent after it is for the caller to know.
 *
 * Memory: about 3 MiB, and 16 bytes for each block of a batch.
 * Threads: one of the caller's at a time; beside it one of its own, of which one
 * writes at a time.  Writes through fs/rw.h only, so an undo file sees
 * everything, and e2s_fs_read() sees what was committed.
 */
#ifndef E2S_REDO_REDO_H
#define E2S_REDO_REDO_H

#include "fs/rw.h"

struct e2s_redo;

/* What somebody who comes along now, or after a power cut, would find. */
enum e2s_redo_state {
	/* All committed batches are done, nothing marks the file system. */
	E2S_REDO_CLEAN,
	/*
	 * All committed batches are done, but the superblock is still marked
	 * as being changed: e2fsck -p or a mount (journal), or
	 * e2s_redo_resume() (redo file) takes the mark away.
	 */
	E2S_REDO_MARKED,
	/*
	 * The last batch is in the log and perhaps half in place: the same
	 * three finish it.  Until then the file system is not consistent.
	 * When the commit point itself failed they may find it not begun.
	 */
	E2S_REDO_COMMITTED,
};

/*
 * Uses FS's internal journal, which e2s_fs_refuse() has found good.  Writes
 * nothing.  The whole journal is read once, but for the holes of an image file,
 * aside, until e2s_redo_begin().  Returns E2S_ET_JOURNAL_BAD, _SMALL or
 * E2S_ET_TOO_FAR.
 */
errcode_t e2s_redo_open_journal(struct e2s_fs *fs, struct e2s_redo **ret,
				struct e2s_where *where);

/*
 * Uses a redo file PATH, which is made and must not exist.  Writes nothing to
 * FS.  Returns errno values and E2S_ET_REDO_EXISTS, _NOT_REGULAR, _ON_TARGET.
 */
errcode_t e2s_redo_open_file(struct e2s_fs *fs, const char *path,
			     struct e2s_redo **ret, struct e2s_where *where);

/* The most blocks of a batch.  More would cost memory: 16 bytes each, and some
 * for each move. */
#define E2S_REDO_MAX_BLOCKS (1u << 18)

/* How many distinct blocks fit into a batch; it may shrink between batches. */
uint64_t e2s_redo_room(const struct e2s_redo *redo);

/* Starts a batch.  Writes nothing yet.  Returns read errors of the log. */
errcode_t e2s_redo_begin(struct e2s_redo *redo, struct e2s_where *where);

/*
 * Marks the superblock as being changed, if it is not yet.  Only a caller that
 * writes blocks outside the batch needs to ask for it, before the first of them:
 * e2undo takes back what was written after a block that it knows of.
 */
errcode_t e2s_redo_mark(struct e2s_redo *redo, struct e2s_where *where);

/*
 * Adds DATA, one block, as the new content of BLK; any order, each block once.
 * DATA is the caller's again on return.  The first call marks the superblock
 * as being changed.  Not for blocks of the journal, the MMP block and the
 * block that holds the superblock (E2S_ET_REDO_BLOCK); no more than
 * e2s_redo_room() of them (E2S_ET_REDO_FULL).  After an error the batch must
 * be given up: e2s_redo_abort().
 */
errcode_t e2s_redo_add(struct e2s_redo *redo, uint64_t blk, const void *data,
		       struct e2s_where *where);

/*
 * Makes the batch happen: returns 0 when it is in place and on the disk.
 * After an error e2s_redo_state() tells whether it is still to be finished;
 * nothing but e2s_redo_close() may follow.  An empty batch writes nothing.
 */
errcode_t e2s_redo_commit(struct e2s_redo *redo, struct e2s_where *where);

/* Gives the batch up and takes the mark off the superblock. */
errcode_t e2s_redo_abort(struct e2s_redo *redo, struct e2s_where *where);

enum e2s_redo_state e2s_redo_state(const struct e2s_redo *redo);

/*
 * Ends: gives up a batch that was begun, takes the mark off the superblock
 * unless a committed batch is still to be finished, removes the redo file
 * when nothing needs it any more.  *STATE, unless NULL, is what is left.
 * REDO is gone in any case; FS stays open.
 */
errcode_t e2s_redo_close(struct e2s_redo *redo, enum e2s_redo_state *state,
			 struct e2s_where *where);

/*
 * Finishes what was interrupted: writes the committed batch of the redo file
 * PATH, if there is one, to the file system on SPEC, takes the mark off its
 * superblock and removes the file.  *BLOCKS, unless NULL, is the number of
 * blocks written.  May be interrupted and called again.
 *
 * Returns refusals, nothing written: those of e2s_fs_open_rw() and
 * E2S_ET_NOT_REDO, _REDO_OTHER_FS, _REDO_CHANGED; and E2S_ET_REDO_DAMAGED,
 * also before anything is written.
 */
errcode_t e2s_redo_resume(const char *spec, const char *path, uint64_t *blocks,
			  struct e2s_where *where);

#endif
