/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a file system must not be changed: one row a reason.  The sentence that
 * each code stands for, with the command to run, is in util/err.et.
 */
#include <string.h>

#include "fs/internal.h"
#include "fs/journal.h"
#include "fs/rw.h"

#define KNOWN_JOURNAL_INCOMPAT						\
	(E2S_JBD2_REVOKE | E2S_JBD2_64BIT | E2S_JBD2_ASYNC_COMMIT |	\
	 E2S_JBD2_CSUM_V2V3 | E2S_JBD2_FAST_COMMIT)
#define SNAPSHOT_FLAGS							\
	(EXT2_FLAGS_IS_SNAPSHOT | EXT2_FLAGS_FIX_SNAPSHOT |		\
	 EXT2_FLAGS_FIX_EXCLUDE)

static struct ext2_super_block *super_of(const struct e2s_fs *fs)
{
	return fs->ext2->super;
}

static int has_unknown_compat(const struct e2s_fs *fs, struct e2s_where *where)
{
	uint32_t unknown = super_of(fs)->s_feature_compat &
			   ~(uint32_t)EXT2_LIB_FEATURE_COMPAT_SUPP;

	if (unknown)
		e2s_where_detail(where, 0, "bits 0x%x", unknown);
	return unknown != 0;
}

static int has_unknown_ro_compat(const struct e2s_fs *fs,
				 struct e2s_where *where)
{
	uint32_t unknown = super_of(fs)->s_feature_ro_compat &
			   ~(uint32_t)EXT2_LIB_FEATURE_RO_COMPAT_SUPP;

	if (unknown)
		e2s_where_detail(where, 0, "bits 0x%x", unknown);
	return unknown != 0;
}

static int has_readonly(const struct e2s_fs *fs, struct e2s_where *where)
{
	(void)where;
	return ext2fs_has_feature_readonly(super_of(fs)) != 0;
}

static int has_shared_blocks(const struct e2s_fs *fs, struct e2s_where *where)
{
	(void)where;
	return ext2fs_has_feature_shared_blocks(super_of(fs)) != 0;
}

static int has_snapshots(const struct e2s_fs *fs, struct e2s_where *where)
{
	const struct ext2_super_block *super = super_of(fs);

	(void)where;
	return super->s_flags & SNAPSHOT_FLAGS || super->s_snapshot_inum ||
	       super->s_snapshot_list;
}

static int has_stable_inodes(const struct e2s_fs *fs, struct e2s_where *where)
{
	(void)where;
	return ext2fs_has_feature_stable_inodes(super_of(fs)) != 0;
}

static int needs_recovery(const struct e2s_fs *fs, struct e2s_where *where)
{
	(void)where;
	return ext2fs_has_feature_journal_needs_recovery(super_of(fs)) != 0;
}

static int has_errors(const struct e2s_fs *fs, struct e2s_where *where)
{
	(void)where;
	return super_of(fs)->s_state & EXT2_ERROR_FS ||
	       super_of(fs)->s_error_count;
}

static int is_unclean(const struct e2s_fs *fs, struct e2s_where *where)
{
	(void)where;
	return !(super_of(fs)->s_state & EXT2_VALID_FS);
}

static int has_orphans(const struct e2s_fs *fs, struct e2s_where *where)
{
	if (super_of(fs)->s_last_orphan)
		e2s_where_ino(where, 0, super_of(fs)->s_last_orphan);
	return super_of(fs)->s_last_orphan ||
	       ext2fs_has_feature_orphan_present(super_of(fs));
}

static int has_wrong_counts(const struct e2s_fs *fs, struct e2s_where *where)
{
	(void)where;
	return super_of(fs)->s_free_inodes_count >
		       super_of(fs)->s_inodes_count ||
	       ext2fs_free_blocks_count(super_of(fs)) >
		       ext2fs_blocks_count(super_of(fs));
}

static int has_wrong_group_csum(const struct e2s_fs *fs,
				struct e2s_where *where)
{
	uint32_t group;

	for (group = 0; fs->geo.group_csum && group < fs->geo.groups; group++)
		if (!ext2fs_group_desc_csum_verify(fs->ext2, group)) {
			e2s_where_group(where, 0, group);
			return 1;
		}
	return 0;
}

/* libext2fs reads the MMP block without the offset. */
static int has_mmp_at_offset(const struct e2s_fs *fs, struct e2s_where *where)
{
	(void)where;
	return fs->offset && ext2fs_has_feature_mmp(super_of(fs));
}

static int has_no_journal(const struct e2s_fs *fs, struct e2s_where *where)
{
	(void)where;
	return !ext2fs_has_feature_journal(super_of(fs));
}

static int has_external_journal(const struct e2s_fs *fs,
				struct e2s_where *where)
{
	(void)where;
	return ext2fs_has_feature_journal(super_of(fs)) &&
	       !e2s_fs_journal_internal(fs);
}

/* The rows below say nothing where there is no internal journal to read. */
static int read_journal(const struct e2s_fs *fs, struct e2s_journal *journal)
{
	return e2s_fs_journal_internal(fs) &&
	       !e2s_fs_journal_read(fs, journal, NULL);
}

static int has_bad_journal(const struct e2s_fs *fs, struct e2s_where *where)
{
	struct e2s_journal journal;

	return e2s_fs_journal_internal(fs) &&
	       e2s_fs_journal_read(fs, &journal, where) != 0;
}

static int has_journal_features(const struct e2s_fs *fs,
				struct e2s_where *where)
{
	struct e2s_journal journal;
	int unknown;

	if (!read_journal(fs, &journal))
		return 0;
	unknown = journal.compat & ~(uint32_t)E2S_JBD2_COMPAT_CSUM ||
		  journal.incompat & ~(uint32_t)KNOWN_JOURNAL_INCOMPAT ||
		  journal.ro_compat;
	if (unknown)
		e2s_where_detail(where, 0,
				 "compat 0x%x, incompat 0x%x, ro_compat 0x%x",
				 journal.compat, journal.incompat,
				 journal.ro_compat);
	return unknown;
}

static int has_journal_users(const struct e2s_fs *fs, struct e2s_where *where)
{
	struct e2s_journal journal;

	(void)where;
	return read_journal(fs, &journal) && journal.users > 1;
}

static int has_journal_error(const struct e2s_fs *fs, struct e2s_where *where)
{
	struct e2s_journal journal;

	(void)where;
	return read_journal(fs, &journal) && journal.error;
}

static int has_journal_data(const struct e2s_fs *fs, struct e2s_where *where)
{
	struct e2s_journal journal;

	(void)where;
	return read_journal(fs, &journal) && journal.start;
}

static int has_small_journal(const struct e2s_fs *fs, struct e2s_where *where)
{
	struct e2s_journal journal;

	(void)where;
	return read_journal(fs, &journal) &&
	       (journal.maxlen < E2S_JBD2_MIN_BLOCKS ||
		journal.last - journal.first < E2S_JBD2_MIN_BLOCKS / 4);
}

struct refusal {
	errcode_t code;
	int (*applies)(const struct e2s_fs *fs, struct e2s_where *where);
	unsigned unless;	/* enum e2s_fs_rw_flag that lift it */
};

/* What only says that a change was interrupted, as its resumer knows. */
#define MARKS E2S_FS_RW_RESUME

static const struct refusal refusals[] = {
	{ E2S_ET_UNKNOWN_COMPAT, has_unknown_compat, 0 },
	{ E2S_ET_UNKNOWN_RO_COMPAT, has_unknown_ro_compat, 0 },
	{ E2S_ET_READONLY_FEATURE, has_readonly, 0 },
	{ E2S_ET_SHARED_BLOCKS, has_shared_blocks, 0 },
	{ E2S_ET_SNAPSHOTS, has_snapshots, 0 },
	{ E2S_ET_STABLE_INODES, has_stable_inodes, 0 },
	{ E2S_ET_NEEDS_RECOVERY, needs_recovery, 0 },
	{ E2S_ET_ERRORS, has_errors, MARKS },
	{ E2S_ET_UNCLEAN, is_unclean, MARKS },
	{ E2S_ET_ORPHANS, has_orphans, 0 },
	{ E2S_ET_WRONG_COUNTS, has_wrong_counts, 0 },
	{ E2S_ET_GROUP_CSUM, has_wrong_group_csum, MARKS },
	{ E2S_ET_MMP_OFFSET, has_mmp_at_offset, 0 },
	{ E2S_ET_NO_JOURNAL, has_no_journal, E2S_FS_RW_REDO_FILE },
	{ E2S_ET_EXTERNAL_JOURNAL, has_external_journal, E2S_FS_RW_REDO_FILE },
	{ E2S_ET_JOURNAL_BAD, has_bad_journal, 0 },
	{ E2S_ET_JOURNAL_FEATURES, has_journal_features, 0 },
	{ E2S_ET_JOURNAL_ERROR, has_journal_error, 0 },
	{ E2S_ET_JOURNAL_DATA, has_journal_data, 0 },
	{ E2S_ET_JOURNAL_SHARED, has_journal_users, E2S_FS_RW_REDO_FILE },
	{ E2S_ET_JOURNAL_SMALL, has_small_journal, E2S_FS_RW_REDO_FILE },
};

errcode_t e2s_fs_refuse(const struct e2s_fs *fs, unsigned flags,
			struct e2s_where *where)
{
	const struct refusal *row = refusals;
	const struct refusal *end = row + sizeof(refusals) / sizeof(*refusals);
	errcode_t err;

	/* Once opened to be written it is busy, with us. */
	err = fs->rw ? 0 : e2s_fs_refuse_device(fs, where);
	for (; !err && row < end; row++)
		if (!(row->unless & flags) && row->applies(fs, where))
			err = row->code;
	return err;
}
