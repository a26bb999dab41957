/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening: from a name to an e2s_fs, or to the sentence that says why not. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/fs.h>

#include "fs/internal.h"

#define SUPER_OFFSET 1024

static errcode_t open_file(struct e2s_fs *fs, uint64_t *size)
{
	struct stat st;

	fs->fd = open(fs->device, O_RDONLY | O_CLOEXEC);
	/* Bulk reads say themselves what will be read next. */
	if (fs->fd >= 0)
		posix_fadvise(fs->fd, 0, 0, POSIX_FADV_RANDOM);
	if (fs->fd < 0 || fstat(fs->fd, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return E2S_ET_IS_DIRECTORY;
	if (S_ISREG(st.st_mode))
		*size = (uint64_t)st.st_size;
	else if (!S_ISBLK(st.st_mode))
		return E2S_ET_NOT_DEVICE;
	else if (ioctl(fs->fd, BLKGETSIZE64, size))
		return errno;
	if (fs->offset > *size)
		return E2S_ET_BAD_OFFSET;
	*size -= fs->offset;
	return 0;
}

/*
 * Looks at the superblock before libext2fs does, since that believes the
 * counts in it and allocates by them.
 */
static errcode_t check_super(const struct e2s_fs *fs, uint64_t size,
			     struct e2s_where *where)
{
	union {
		struct ext2_super_block super;
		char bytes[SUPERBLOCK_SIZE];
	} u;
	uint64_t blocks;
	uint32_t log_block_size;
	ssize_t got;

	got = pread(fs->fd, u.bytes, sizeof(u),
		    (off_t)(fs->offset + SUPER_OFFSET));
	if (got < 0)
		return errno;
	if (got < (ssize_t)sizeof(u) ||
	    ext2fs_le16_to_cpu(u.super.s_magic) != EXT2_SUPER_MAGIC)
		return e2s_fs_identify(fs->fd, fs->offset, where);
	if (ext2fs_le32_to_cpu(u.super.s_feature_incompat) &
	    EXT3_FEATURE_INCOMPAT_JOURNAL_DEV)
		return E2S_ET_JOURNAL_DEVICE;
	log_block_size = ext2fs_le32_to_cpu(u.super.s_log_block_size);
	if (log_block_size > EXT2_MAX_BLOCK_LOG_SIZE - EXT2_MIN_BLOCK_LOG_SIZE)
		return E2S_ET_BAD_SUPER;
	blocks = ext2fs_le32_to_cpu(u.super.s_blocks_count);
	if (ext2fs_le32_to_cpu(u.super.s_feature_incompat) &
	    EXT4_FEATURE_INCOMPAT_64BIT)
		blocks |= (uint64_t)ext2fs_le32_to_cpu(
				  u.super.s_blocks_count_hi) << 32;
	if (blocks > size >> (EXT2_MIN_BLOCK_LOG_SIZE + log_block_size))
		return e2s_where_detail(where, E2S_ET_SHORT_DEVICE,
			"%llu blocks of %u bytes wanted, %llu bytes there",
			(unsigned long long)blocks,
			EXT2_MIN_BLOCK_SIZE << log_block_size,
			(unsigned long long)size);
	return 0;
}

static errcode_t check_mounted(struct e2s_fs *fs, unsigned flags)
{
	int mount_flags = 0;
	errcode_t err;

	err = ext2fs_check_mount_point(fs->device, &mount_flags, NULL, 0);
	if (err)
		return err;
	if (!(mount_flags & EXT2_MF_MOUNTED) || mount_flags & EXT2_MF_READONLY)
		return 0;
	if (!(flags & E2S_FS_FORCE))
		return E2S_ET_MOUNTED_RW;
	fs->doubts |= E2S_FS_DOUBT_MOUNTED;
	return 0;
}

static errcode_t translate(errcode_t err)
{
	switch (err) {
	case EXT2_ET_UNSUPP_FEATURE:
		return E2S_ET_UNKNOWN_INCOMPAT;
	case EXT2_ET_BAD_MAGIC:
	case EXT2_ET_CORRUPT_SUPERBLOCK:
	case EXT2_ET_SB_CSUM_INVALID:
	case EXT2_ET_UNKNOWN_CSUM:
	case EXT2_ET_BAD_DESC_SIZE:
	case EXT2_ET_REV_TOO_HIGH:
		return E2S_ET_BAD_SUPER;
	}
	return err;
}

errcode_t e2s_fs_attach(struct e2s_fs *fs, int flags, io_manager manager,
			struct e2s_where *where)
{
	char options[48];
	errcode_t err;

	/*
	 * Any options at all keep a '?' in the name a letter.  The cache stays
	 * for those who only read: what they read does not change.
	 */
	snprintf(options, sizeof(options), "offset=%llu%s",
		 (unsigned long long)fs->offset,
		 flags & EXT2_FLAG_RW ? "&cache=off" : "");
	err = ext2fs_open2(fs->device, options, flags | EXT2_FLAG_64BITS, 0, 0,
			   manager, &fs->ext2);
	if (err)
		return translate(err);
	return e2s_fs_survey(fs, where);
}

errcode_t e2s_fs_check_mmp(struct e2s_fs *fs, unsigned flags)
{
	struct mmp_struct *mmp;
	errcode_t err;

	if (!ext2fs_has_feature_mmp(fs->ext2->super))
		return 0;
	err = ext2fs_get_mem(fs->geo.block_size, &mmp);
	if (err)
		return err;
	err = e2s_fs_read(fs, fs->ext2->super->s_mmp_block, 1, mmp, NULL);
	if (!err && ext2fs_le32_to_cpu(mmp->mmp_seq) != EXT4_MMP_SEQ_CLEAN) {
		if (flags & E2S_FS_FORCE)
			fs->doubts |= E2S_FS_DOUBT_MMP;
		else
			err = E2S_ET_MMP_IN_USE;
	}
	ext2fs_free_mem(&mmp);
	return err;
}

static unsigned super_doubts(struct ext2_super_block *super)
{
	unsigned doubts = 0;

	if (ext2fs_has_feature_journal_needs_recovery(super))
		doubts |= E2S_FS_DOUBT_JOURNAL;
	if (super->s_state & EXT2_ERROR_FS || super->s_error_count)
		doubts |= E2S_FS_DOUBT_ERRORS;
	if (!(super->s_state & EXT2_VALID_FS) &&
	    !ext2fs_has_feature_journal_needs_recovery(super))
		doubts |= E2S_FS_DOUBT_UNCLEAN;
	return doubts;
}

errcode_t e2s_fs_find(const char *spec, struct e2s_fs **ret,
		      struct e2s_where *where)
{
	struct e2s_fs *fs = calloc(1, sizeof(*fs));
	uint64_t size = 0;
	errcode_t err;

	*ret = NULL;
	if (!fs)
		return ENOMEM;
	fs->fd = -1;
	initialize_e2s_error_table();
	initialize_ext2_error_table();
	err = e2s_fs_resolve(spec, &fs->device, &fs->offset, where);
	if (err)
		goto out;
	err = open_file(fs, &size);
	if (err)
		goto out;
	err = check_super(fs, size, where);
	if (err)
		goto out;
	*ret = fs;
	fs = NULL;
out:
	e2s_fs_close(fs);
	return err;
}

errcode_t e2s_fs_open(const char *spec, unsigned flags, struct e2s_fs **ret,
		      struct e2s_where *where)
{
	struct e2s_fs *fs;
	errcode_t err;

	*ret = NULL;
	err = e2s_fs_find(spec, &fs, where);
	if (err)
		return err;
	err = check_mounted(fs, flags);
	if (err)
		goto out;
	err = e2s_fs_attach(fs, 0, unix_io_manager, where);
	if (err)
		goto out;
	err = e2s_fs_check_mmp(fs, flags);
	if (err)
		goto out;
	fs->doubts |= super_doubts(fs->ext2->super);
	*ret = fs;
	fs = NULL;
out:
	e2s_fs_close(fs);
	return err;
}

errcode_t e2s_fs_close(struct e2s_fs *fs)
{
	errcode_t err = 0;

	if (!fs)
		return 0;
	if (fs->rw)
		err = e2s_fs_close_rw(fs);
	if (fs->ext2)
		ext2fs_free(fs->ext2);
	if (fs->fd >= 0)
		close(fs->fd);
	free(fs->device);
	free(fs);
	return err;
}
