/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of fs/ share with one another and with nobody else. */
#ifndef E2S_FS_INTERNAL_H
#define E2S_FS_INTERNAL_H

#include "fs/fs.h"

/*
 * Splits and resolves SPEC: *DEVICE is a path (the caller frees it), *OFFSET
 * the byte where the file system starts in it.
 */
errcode_t e2s_fs_resolve(const char *spec, char **device, uint64_t *offset,
			 struct e2s_where *where);

/*
 * Says what FD holds from OFFSET on when it is no ext file system: always
 * returns an error, E2S_ET_OTHER_FS with libblkid's words in WHERE, or
 * E2S_ET_QCOW2, or E2S_ET_NOT_EXT.
 */
errcode_t e2s_fs_identify(int fd, uint64_t offset, struct e2s_where *where);

/*
 * Resolves SPEC, opens it to be read and looks at its superblock; *RET has no
 * libext2fs handle yet.
 */
errcode_t e2s_fs_find(const char *spec, struct e2s_fs **ret,
		      struct e2s_where *where);

/* Gives FS its libext2fs handle, with FLAGS (EXT2_FLAG_*), and its geometry. */
errcode_t e2s_fs_attach(struct e2s_fs *fs, int flags, io_manager manager,
			struct e2s_where *where);

/* Refuses FS when its MMP block says that somebody uses it. */
errcode_t e2s_fs_check_mmp(struct e2s_fs *fs, unsigned flags);

/*
 * Says who else uses the device: needs no libext2fs handle.  Refuses also what
 * cannot be written to.
 */
errcode_t e2s_fs_refuse_device(const struct e2s_fs *fs,
			       struct e2s_where *where);

/* What belongs to the kind of e2s_fs that e2s_fs_open_rw() makes. */
struct e2s_fs_rw {
	char *undo;		/* the undo file, NULL for none */
	int undo_fd;		/* of our own, to sync it with; else -1 */
	int undo_made;		/* by us: it did not exist */
	int written;		/* something was written */
};

/* Ends writing: MMP, libext2fs's channel, the undo file; frees fs->rw. */
errcode_t e2s_fs_close_rw(struct e2s_fs *fs);

/* Picks, checks and makes the undo file; fills fs->rw. */
errcode_t e2s_fs_prepare_undo(struct e2s_fs *fs, const char *undo,
			      struct e2s_where *where);

/*
 * Fills fs->geo from the superblock libext2fs has read and checks the group
 * descriptors: every inode table and bitmap must lie inside the file system.
 */
errcode_t e2s_fs_survey(struct e2s_fs *fs, struct e2s_where *where);

#endif
