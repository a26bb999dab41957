/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The internal journal's superblock. */
#include <string.h>

#include "fs/journal.h"

#define DEFAULT_FC_BLOCKS 256	/* k: JBD2_DEFAULT_FAST_COMMIT_BLOCKS */
#define CSUM_TYPE_CRC32C 4

int e2s_fs_journal_internal(const struct e2s_fs *fs)
{
	return ext2fs_has_feature_journal(fs->ext2->super) &&
	       fs->ext2->super->s_journal_inum != 0;
}

uint32_t e2s_jsb_csum(const unsigned char raw[E2S_JSB_SIZE])
{
	unsigned char copy[E2S_JSB_SIZE];

	memcpy(copy, raw, sizeof(copy));
	e2s_put_be32(copy + E2S_JSB_CSUM, 0);
	return ext2fs_crc32c_le(~0u, copy, sizeof(copy));
}

/* Finds block 0 of the journal file, and how many blocks that file has. */
static errcode_t find_file(const struct e2s_fs *fs, uint64_t *blk,
			   uint64_t *file_blocks, struct e2s_where *where)
{
	ext2_ino_t ino = fs->ext2->super->s_journal_inum;
	struct ext2_inode inode;
	blk64_t first = 0;
	errcode_t err;

	err = ext2fs_read_inode(fs->ext2, ino, &inode);
	if (!err)
		err = ext2fs_bmap2(fs->ext2, ino, &inode, NULL, 0, 0, NULL,
				   &first);
	if (err)
		return e2s_where_detail(where, E2S_ET_JOURNAL_BAD, "%s",
					error_message(err));
	if (!LINUX_S_ISREG(inode.i_mode) || !inode.i_links_count)
		return e2s_where_detail(where, E2S_ET_JOURNAL_BAD,
					"inode %u is not a file in use", ino);
	if (first <= fs->geo.first_data_block || first >= fs->geo.blocks)
		return e2s_where_detail(where, E2S_ET_JOURNAL_BAD,
					"its first block is not mapped");
	*blk = first;
	*file_blocks = EXT2_I_SIZE(&inode) / fs->geo.block_size;
	return 0;
}

static void decode(struct e2s_journal *journal)
{
	const unsigned char *raw = journal->raw;

	journal->type = e2s_get_be32(raw + E2S_JSB_TYPE);
	journal->maxlen = e2s_get_be32(raw + E2S_JSB_MAXLEN);
	journal->first = e2s_get_be32(raw + E2S_JSB_FIRST);
	journal->last = journal->maxlen;
	journal->sequence = e2s_get_be32(raw + E2S_JSB_SEQUENCE);
	journal->start = e2s_get_be32(raw + E2S_JSB_START);
	journal->error = e2s_get_be32(raw + E2S_JSB_ERRNO);
	if (journal->type != E2S_JBD2_SUPER_V2)
		return;
	journal->compat = e2s_get_be32(raw + E2S_JSB_COMPAT);
	journal->incompat = e2s_get_be32(raw + E2S_JSB_INCOMPAT);
	journal->ro_compat = e2s_get_be32(raw + E2S_JSB_RO_COMPAT);
	journal->users = e2s_get_be32(raw + E2S_JSB_USERS);
}

/* The fast-commit blocks lie behind the log: k: jbd2_fc_init(). */
static void set_log_end(const struct e2s_fs *fs, struct e2s_journal *journal)
{
	uint32_t fc_blocks = e2s_get_be32(journal->raw + E2S_JSB_NUM_FC);

	if (journal->type != E2S_JBD2_SUPER_V2)
		return;
	if (!(journal->incompat & E2S_JBD2_FAST_COMMIT) &&
	    !ext2fs_has_feature_fast_commit(fs->ext2->super))
		return;
	if (!fc_blocks)
		fc_blocks = DEFAULT_FC_BLOCKS;
	if (fc_blocks >= journal->maxlen - journal->first)
		fc_blocks = journal->maxlen - journal->first - 1;
	journal->last = journal->maxlen - fc_blocks;
	if (fc_blocks > 1)
		journal->fc_first = journal->last + 1;
}

static const char *find_fault(const struct e2s_fs *fs,
			      const struct e2s_journal *journal,
			      uint64_t file_blocks)
{
	const unsigned char *raw = journal->raw;
	uint32_t csums = journal->incompat & E2S_JBD2_CSUM_V2V3;

	if (e2s_get_be32(raw + E2S_JSB_MAGIC) != E2S_JBD2_MAGIC ||
	    (journal->type != E2S_JBD2_SUPER_V1 &&
	     journal->type != E2S_JBD2_SUPER_V2))
		return "it does not start with a journal superblock";
	if (e2s_get_be32(raw + E2S_JSB_BLOCK_SIZE) != fs->geo.block_size)
		return "its block size is not that of the file system";
	if (journal->maxlen > file_blocks)
		return "it says that it is longer than its file";
	if (!journal->first || journal->first >= journal->maxlen)
		return "its log does not start inside it";
	if (csums == E2S_JBD2_CSUM_V2V3 ||
	    (csums && journal->compat & E2S_JBD2_COMPAT_CSUM))
		return "it claims two kinds of checksums";
	if (csums && raw[E2S_JSB_CSUM_TYPE] != CSUM_TYPE_CRC32C)
		return "its checksum algorithm is unknown";
	if (csums && e2s_get_be32(raw + E2S_JSB_CSUM) != e2s_jsb_csum(raw))
		return "the checksum of its superblock is wrong";
	return NULL;
}

errcode_t e2s_fs_journal_read(const struct e2s_fs *fs, struct e2s_journal *ret,
			      struct e2s_where *where)
{
	unsigned char *buf = NULL;
	uint64_t file_blocks = 0;
	const char *fault;
	errcode_t err;

	memset(ret, 0, sizeof(*ret));
	err = find_file(fs, &ret->super_blk, &file_blocks, where);
	if (err)
		return err;
	err = ext2fs_get_mem(fs->geo.block_size, &buf);
	if (err)
		return err;
	err = e2s_fs_read(fs, ret->super_blk, 1, buf, where);
	if (err) {
		e2s_where_detail(where, err, "%s", error_message(err));
		err = E2S_ET_JOURNAL_BAD;
		goto out;
	}
	memcpy(ret->raw, buf, sizeof(ret->raw));
	decode(ret);
	fault = find_fault(fs, ret, file_blocks);
	if (fault)
		err = e2s_where_detail(where, E2S_ET_JOURNAL_BAD, "%s", fault);
	else
		set_log_end(fs, ret);
out:
	ext2fs_free_mem(&buf);
	return err;
}
