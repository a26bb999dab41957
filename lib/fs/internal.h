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
 * Fills fs->geo from the superblock libext2fs has read and checks the group
 * descriptors: every inode table and bitmap must lie inside the file system.
 */
errcode_t e2s_fs_survey(struct e2s_fs *fs, struct e2s_where *where);

#endif
