/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs/rw: a file system that has been opened to be changed, and the table of
 * reasons for which it must not be.
 *
 * What is written goes through libext2fs's channel, so that an undo file sees
 * all of it, with that channel's cache off: its stale blocks cannot be read
 * back (libext2fs 1.47.0 does not drop them) and every error of a write is
 * that write's.  libext2fs itself is never asked to write anything: closing a
 * file system that nobody changed leaves every byte of it as it was, except in
 * the MMP block, which is how other hosts are kept away.
 *
 * Nothing here is for more than one thread.
 */
#ifndef E2S_FS_RW_H
#define E2S_FS_RW_H

#include "fs/fs.h"

enum e2s_fs_rw_flag {
	/*
	 * The changes will be made safe by a redo file, so a journal that is
	 * missing, too small or on another device is no reason to refuse.
	 */
	E2S_FS_RW_REDO_FILE = 1,
	/*
	 * An interrupted change is to be finished: the marks that it left in
	 * the superblock and half-written checksums are no reason to refuse.
	 */
	E2S_FS_RW_RESUME = 2,
};

struct e2s_fs_rw_options {
	unsigned flags;		/* enum e2s_fs_rw_flag, or'ed */
	/*
	 * File for e2undo: NULL for none, "" for e2spread-DEVICE.e2undo in
	 * $E2FSPROGS_UNDO_DIR or /var/lib/e2fsprogs (none if that variable
	 * is "none").  An undo file that exists must be of a finished change
	 * and fit; it is continued.  One a process, as libext2fs keeps its
	 * name in a variable of its own.
	 */
	const char *undo;
};

/*
 * Opens SPEC (see e2s_fs_open) to be changed, exclusively.  The refusals of
 * e2s_fs_refuse() are tried first, through a handle that cannot write; after
 * one of them the device's bytes are as they were.  With the MMP feature this
 * takes 11 seconds and more and writes the MMP block.
 *
 * *RET is the caller's, for e2s_fs_close(), whose result matters: it finishes
 * the undo file.  An undo file that was made here is removed when nothing was
 * written.  Returns as e2s_fs_open() does and the refusals from
 * E2S_ET_MOUNTED to E2S_ET_UNDO_EXISTS.
 */
errcode_t e2s_fs_open_rw(const char *spec,
			 const struct e2s_fs_rw_options *options,
			 struct e2s_fs **ret, struct e2s_where *where);

/* Reads the superblock of what SPEC names as it is on the disk. */
errcode_t e2s_fs_peek_super(const char *spec,
			    unsigned char super[SUPERBLOCK_SIZE],
			    struct e2s_where *where);

/*
 * Says why FS, opened either way, must not be changed: the code of the first
 * row of the table that applies, or 0.  FLAGS are enum e2s_fs_rw_flag, or'ed.
 * What can only be known from the inodes is not in the table.
 */
errcode_t e2s_fs_refuse(const struct e2s_fs *fs, unsigned flags,
			struct e2s_where *where);

/*
 * Writes COUNT blocks from BLK on.  When it returns 0 a read through any
 * descriptor gives the new bytes; they are on the disk after e2s_fs_flush().
 * An error names the first block of the write.
 */
errcode_t e2s_fs_write(struct e2s_fs *fs, uint64_t blk, uint64_t count,
		       const void *buf, struct e2s_where *where);

/*
 * Has the system begin to bring COUNT blocks from BLK on to the disk, which it
 * would otherwise do when asked to flush.  Promises nothing: what is on the
 * disk is for e2s_fs_flush() to say.  Returns an error that came up meanwhile.
 */
errcode_t e2s_fs_start_flush(struct e2s_fs *fs, uint64_t blk, uint64_t count,
			     struct e2s_where *where);

/*
 * Waits until all that was written is on the disk.  Uses a descriptor that
 * libext2fs does not know, whose MMP code drops the result of its own flushes
 * (the kernel tells a descriptor of a lost write only once).
 */
errcode_t e2s_fs_flush(struct e2s_fs *fs);

/*
 * Waits until what the undo file has recorded is on the disk; nothing to do
 * without one.  Not part of e2s_fs_flush(): call it before that.
 */
errcode_t e2s_fs_sync_undo(struct e2s_fs *fs);

/*
 * Tells other hosts that the device is still in use.  Cheap enough to be
 * called before every large write; does nothing without MMP.  Returns
 * E2S_ET_MMP_TAKEN when another host has taken the device.
 */
errcode_t e2s_fs_touch_mmp(struct e2s_fs *fs);

/*
 * Checks that FD, a file that is to help with changing FS, is a regular file
 * (else returns NOT_REGULAR) and neither FS's own image nor a file that FS
 * holds (else returns ON_TARGET).
 */
errcode_t e2s_fs_check_beside(const struct e2s_fs *fs, int fd,
			      errcode_t not_regular, errcode_t on_target);

/* The undo file's path, NULL without one. */
const char *e2s_fs_undo_path(const struct e2s_fs *fs);

#endif
