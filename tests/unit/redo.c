/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redo: what a batch may hold, what is left after giving one up, and what a
 * damaged redo file is taken for.  That a batch is atomic is for
 * tests/powercut; its witness is e2fsck.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "redo/journal.h"
#include "redo/redofile.h"
#include "tests/unit/check.h"

/* A call that must return an error of its own. */
#define CHECK_ERR(call, want)						\
	do {								\
		errcode_t got_ = (call);				\
		if (got_ != (errcode_t)(want)) {			\
			printf("%s:%d: %s: %s\n", __FILE__, __LINE__,	\
			       #call, error_message(got_));		\
			failures++;					\
		}							\
	} while (0)

static void shell(const char *command)
{
	if (system(command)) {
		printf("failed: %s\n", command);
		exit(1);
	}
}

static int same_file(const char *a, const char *b)
{
	char command[200];

	snprintf(command, sizeof(command), "cmp -s %s %s", a, b);
	return !system(command);
}

static struct e2s_fs *open_image(unsigned flags)
{
	const struct e2s_fs_rw_options options = { .flags = flags };
	struct e2s_where where = { 0 };
	struct e2s_fs *fs = NULL;

	CHECK_ERR(e2s_fs_open_rw("image", &options, &fs, &where), 0);
	if (!fs)
		exit(1);
	return fs;
}

/*
 * Sizes of tags and how many fit into a block of 1024, from the layout in the
 * kernel's journal_tag_bytes() and do_one_pass(), worked out by hand.
 */
static void test_tags(void)
{
	static const struct {
		uint32_t incompat, size, tags;
	} cases[] = {
		{ 0, 8, 124 },					/* 996 / 8 */
		{ E2S_JBD2_64BIT, 12, 83 },			/* 996 / 12 */
		{ E2S_JBD2_CSUM_V2, 10, 99 },			/* 992 / 10 */
		{ E2S_JBD2_CSUM_V2 | E2S_JBD2_64BIT, 14, 70 },	/* 992 / 14 */
		{ E2S_JBD2_CSUM_V3, 16, 62 },			/* 992 / 16 */
		{ E2S_JBD2_CSUM_V3 | E2S_JBD2_64BIT, 16, 62 },
	};
	struct e2s_journal journal = { .type = E2S_JBD2_SUPER_V2 };
	struct e2s_journal_format format;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		journal.incompat = cases[i].incompat;
		e2s_journal_format_init(&format, &journal, 1024, 1000);
		CHECK(format.tag_size == cases[i].size);
		CHECK(format.tags == cases[i].tags);
	}
	e2s_journal_format_init(&format, &journal, 1024, 16);
	CHECK(format.tags == 16);
}

/* A logged block that looks like the journal's own is changed, and flagged. */
static void test_escape(void)
{
	static const unsigned char magic[4] = { 0xc0, 0x3b, 0x39, 0x98 };
	struct e2s_journal journal = { .type = E2S_JBD2_SUPER_V2 };
	unsigned char desc[1024], block[1024] = { 1 };
	struct e2s_journal_format format;

	e2s_journal_format_init(&format, &journal, 1024, 1000);
	e2s_journal_descriptor_init(&format, desc, 7);
	CHECK(!e2s_journal_tag_set(&format, desc, 0, 7, 100, block));
	CHECK(block[0] == 1);
	memcpy(block, magic, sizeof(magic));
	CHECK(e2s_journal_tag_set(&format, desc, 1, 7, 101, block));
	CHECK(!block[0] && !block[1] && !block[2] && !block[3]);
	e2s_journal_descriptor_end(&format, desc, 2);
	CHECK(!memcmp(desc, magic, sizeof(magic)));
	CHECK(e2s_get_be32(desc + 4) == 1 && e2s_get_be32(desc + 8) == 7);
	/* Tag 0 at 12, the UUID at 20, tag 1 at 36: blk, csum, flags. */
	CHECK(e2s_get_be32(desc + 12) == 100 && desc[19] == 0);
	CHECK(e2s_get_be32(desc + 36) == 101);
	CHECK(desc[43] == (1 | 2 | 8));		/* escaped, same UUID, last */
}

static void test_blocks(void)
{
	struct e2s_fs *fs = open_image(0);
	struct e2s_journal journal;
	struct e2s_redo *redo = NULL;
	enum e2s_redo_state state = E2S_REDO_COMMITTED;
	unsigned char *buf = calloc(1, fs->geo.block_size);
	uint64_t room;

	CHECK_ERR(e2s_fs_journal_read(fs, &journal, NULL), 0);
	CHECK_ERR(e2s_redo_open_journal(fs, &redo, NULL), 0);
	room = e2s_redo_room(redo);
	/* Descriptors, a commit block and a zero block also want room. */
	CHECK(room > 900 && room < journal.last - journal.first - 2);
	CHECK_ERR(e2s_redo_begin(redo, NULL), 0);
	CHECK_ERR(e2s_redo_commit(redo, NULL), 0);
	CHECK_ERR(e2s_redo_add(redo, journal.super_blk, buf, NULL),
		  E2S_ET_REDO_BLOCK);
	CHECK_ERR(e2s_redo_add(redo, journal.super_blk + 1000, buf, NULL),
		  E2S_ET_REDO_BLOCK);
	CHECK_ERR(e2s_redo_add(redo, 0, buf, NULL), E2S_ET_REDO_BLOCK);
	CHECK_ERR(e2s_redo_add(redo, fs->geo.blocks, buf, NULL),
		  E2S_ET_REDO_BLOCK);
	CHECK(e2s_redo_state(redo) == E2S_REDO_CLEAN);
	CHECK(same_file("image", "before"));
	CHECK_ERR(e2s_redo_close(redo, &state, NULL), 0);
	CHECK(state == E2S_REDO_CLEAN);
	CHECK_ERR(e2s_fs_close(fs), 0);
	CHECK(same_file("image", "before"));
	free(buf);
}

/* Only blocks of the log may differ from before, and that is empty. */
static void check_log_only(void)
{
	struct e2s_fs *now = NULL, *old = NULL;
	struct e2s_journal_map map = { 0 };
	struct e2s_journal journal;
	unsigned char a[4096], b[4096];
	uint64_t blk;

	CHECK_ERR(e2s_fs_open("image", 0, &now, NULL), 0);
	CHECK_ERR(e2s_fs_open("before", 0, &old, NULL), 0);
	if (!now || !old)
		exit(1);
	CHECK_ERR(e2s_fs_journal_read(now, &journal, NULL), 0);
	CHECK(journal.start == 0);
	CHECK_ERR(e2s_journal_map_read(now, journal.maxlen, &map, NULL), 0);
	for (blk = 0; blk < now->geo.blocks; blk++) {
		CHECK_ERR(e2s_fs_read(now, blk, 1, a, NULL), 0);
		CHECK_ERR(e2s_fs_read(old, blk, 1, b, NULL), 0);
		CHECK(!memcmp(a, b, sizeof(a)) ||
		      (blk != journal.super_blk &&
		       e2s_journal_map_owns(&map, blk)));
	}
	e2s_journal_map_free(&map);
	CHECK_ERR(e2s_fs_close(now), 0);
	CHECK_ERR(e2s_fs_close(old), 0);
}

/* Twice the same block, and one more than fit: nothing but the log changes. */
static void test_give_up(void)
{
	struct e2s_fs *fs = open_image(0);
	uint64_t blk, room, free_blk = fs->geo.blocks - 1;
	enum e2s_redo_state state = E2S_REDO_COMMITTED;
	struct e2s_redo *redo = NULL;
	unsigned char *buf = calloc(1, fs->geo.block_size);

	CHECK_ERR(e2s_redo_open_journal(fs, &redo, NULL), 0);
	CHECK_ERR(e2s_redo_begin(redo, NULL), 0);
	CHECK_ERR(e2s_redo_add(redo, free_blk, buf, NULL), 0);
	CHECK(e2s_redo_state(redo) == E2S_REDO_MARKED);
	CHECK_ERR(e2s_redo_add(redo, free_blk, buf, NULL), 0);
	CHECK_ERR(e2s_redo_commit(redo, NULL), E2S_ET_REDO_TWICE);
	CHECK_ERR(e2s_redo_abort(redo, NULL), 0);
	CHECK(e2s_redo_state(redo) == E2S_REDO_CLEAN);
	CHECK_ERR(e2s_redo_begin(redo, NULL), 0);
	room = e2s_redo_room(redo);
	for (blk = 0; blk < room; blk++)
		CHECK_ERR(e2s_redo_add(redo, free_blk - blk, buf, NULL), 0);
	CHECK_ERR(e2s_redo_add(redo, free_blk - room, buf, NULL),
		  E2S_ET_REDO_FULL);
	CHECK_ERR(e2s_redo_close(redo, &state, NULL), 0);
	CHECK(state == E2S_REDO_CLEAN);
	CHECK_ERR(e2s_fs_close(fs), 0);
	free(buf);
	check_log_only();
}

/* Spoils one byte of the file NAME. */
static void spoil(const char *name, off_t at)
{
	int fd = open(name, O_RDWR);
	unsigned char byte;

	CHECK(fd >= 0 && pread(fd, &byte, 1, at) == 1);
	byte ^= 0x40;
	CHECK(pwrite(fd, &byte, 1, at) == 1);
	close(fd);
}

/*
 * A batch committed and not put in place; the process then goes away.  The
 * new content of the last two blocks is all 'n'.
 */
static void commit_only(void)
{
	struct e2s_fs *fs = open_image(E2S_FS_RW_REDO_FILE);
	struct e2s_redo_list list = { 0 };
	unsigned char *buf = malloc(fs->geo.block_size);
	struct e2s_redo_super super = { 0 };
	uint64_t last = fs->geo.blocks - 2;
	struct e2s_redo_entry entries[2];
	void *self = NULL;
	uint32_t i;

	memset(buf, 'n', fs->geo.block_size);
	CHECK_ERR(e2s_redo_super_read(fs, &super, NULL), 0);
	CHECK_ERR(e2s_redo_file_open(fs, "redo", super.old + super.at, &self,
				     NULL), 0);
	e2s_redo_file_log.mark(self, e2s_redo_super_new(&super));
	CHECK_ERR(e2s_redo_super_write(fs, &super, NULL), 0);
	CHECK_ERR(e2s_redo_file_log.begin(self, NULL), 0);
	for (i = 0; i < 2; i++) {
		entries[i].blk = last + i;
		entries[i].crc = e2s_redo_crc(fs, buf);
		CHECK_ERR(e2s_redo_file_log.put(self, buf, last + i,
						&entries[i].pos, NULL), 0);
	}
	list.v = entries;
	list.n = 2;
	CHECK_ERR(e2s_redo_file_log.seal(self, &list, NULL), 0);
	CHECK_ERR(e2s_redo_file_log.commit(self, NULL), 0);
	CHECK_ERR(e2s_redo_file_log.close(self, 0), 0);
	e2s_redo_super_free(&super);
	CHECK_ERR(e2s_fs_close(fs), 0);
	free(buf);
}

static void test_resume(void)
{
	uint64_t blocks = 0;
	struct stat st;

	shell("rm -f redo; cp before image");
	commit_only();
	shell("cp image half; cp redo good");

	/* Damage anywhere stops it before it writes. */
	spoil("redo", E2S_REDOFILE_DATA + 1024 + 17);
	CHECK_ERR(e2s_redo_resume("image", "redo", NULL, NULL),
		  E2S_ET_REDO_DAMAGED);
	shell("cp good redo");
	spoil("redo", E2S_REDOFILE_DATA + 2048 + 1);	/* the list */
	CHECK_ERR(e2s_redo_resume("image", "redo", NULL, NULL),
		  E2S_ET_REDO_DAMAGED);
	shell("cp good redo");
	spoil("redo", E2S_REDOFILE_SUPER + 5);
	CHECK_ERR(e2s_redo_resume("image", "redo", NULL, NULL),
		  E2S_ET_REDO_DAMAGED);
	CHECK(same_file("image", "half"));

	/* Another file system; the same one changed since; not a redo file. */
	shell("cp good redo; truncate -s 8M other; mke2fs -q -F -t ext2 other");
	CHECK_ERR(e2s_redo_resume("other", "redo", NULL, NULL),
		  E2S_ET_REDO_OTHER_FS);
	shell("debugfs -w -R 'ssv mnt_count 7' image >/dev/null 2>&1");
	CHECK_ERR(e2s_redo_resume("image", "redo", NULL, NULL),
		  E2S_ET_REDO_CHANGED);
	shell("cp half image; echo no >text");
	CHECK_ERR(e2s_redo_resume("image", "text", NULL, NULL),
		  E2S_ET_NOT_REDO);
	CHECK_ERR(e2s_redo_resume("image", "none", NULL, NULL), ENOENT);
	CHECK(same_file("image", "half"));

	/* A commit that was torn: the head before it counts, nothing is done. */
	spoil("redo", E2S_REDOFILE_HEAD_A + 9);
	CHECK_ERR(e2s_redo_resume("image", "redo", &blocks, NULL), 0);
	CHECK(blocks == 0);
	CHECK(same_file("image", "before"));
	CHECK(stat("redo", &st) != 0);

	/* And the whole: twice, as the first may have been interrupted. */
	shell("cp half image; cp good redo");
	CHECK_ERR(e2s_redo_resume("image", "redo", &blocks, NULL), 0);
	CHECK(blocks == 2);
	shell("cp image done; cp half image; cp good redo");
	CHECK_ERR(e2s_redo_resume("image", "redo", &blocks, NULL), 0);
	CHECK(same_file("image", "done"));
	shell("head -c -2048 before >want; head -c 2048 /dev/zero | tr '\\0' n "
	      ">>want; cmp image want");
}

int main(void)
{
	initialize_e2s_error_table();
	initialize_ext2_error_table();
	test_tags();
	test_escape();
	shell("truncate -s 32M before; "
	      "mke2fs -q -F -t ext4 -b 4096 -J size=4 before && cp before image");
	test_blocks();
	test_give_up();
	shell("rm -f image before; truncate -s 8M before; "
	      "mke2fs -q -F -t ext2 -b 1024 before");
	test_resume();
	return failures != 0;
}
