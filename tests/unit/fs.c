/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs: the geometry of images of many shapes against what dumpe2fs prints,
 * group by group; reads against what was written; the codes of what cannot be
 * opened.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/csum.h"
#include "fs/fs.h"

#define IMAGE "fs.img"
#define SHIFTED "shifted.img"
#define SHIFT 12345344			/* a multiple of 512, not of 4096 */

static int failures;
static const char *now = "";		/* what is being looked at */

#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("%s: line %d: %s\n", now, __LINE__, #cond); \
			failures++;					\
		}							\
	} while (0)

static const struct shape {
	const char *options, *size;
} shapes[] = {
	{ "-t ext4", "64M" },
	{ "-t ext4 -b 1024", "64M" },
	{ "-t ext4 -b 2048 -I 512", "64M" },
	{ "-t ext4 -b 1024 -I 1024 -N 4096", "64M" },
	{ "-t ext4 -I 128", "64M" },
	{ "-t ext4 -G 4 -g 4096", "300M" },
	{ "-t ext4 -G 64 -b 1024 -N 20000", "700M" },
	{ "-t ext4 -O ^flex_bg", "400M" },
	{ "-t ext4 -O ^64bit,^metadata_csum,uninit_bg", "400M" },
	{ "-t ext4 -O bigalloc -C 65536", "1G" },
	{ "-t ext4 -O meta_bg,^resize_inode -b 1024 -g 1024", "64M" },
	{ "-t ext4 -b 65536", "1G" },
	{ "-t ext2 -b 1024", "64M" },
	{ "-t ext2 -r 0 -O none", "64M" },
	{ "-t ext3", "300M" },
};

static void run(const char *command)
{
	if (system(command)) {
		printf("failed: %s\n", command);
		exit(1);
	}
}

static void make_image(const struct shape *shape)
{
	char command[256];

	unlink(IMAGE);
	snprintf(command, sizeof(command), "mke2fs -q -F %s %s %s >mke2fs.log 2>&1",
		 shape->options, IMAGE, shape->size);
	run(command);
}

/* The line "NAME: VALUE" of dumpe2fs. */
struct fact {
	const char *name;
	uint64_t value;
};

enum { BLOCK_SIZE, BLOCKS, FIRST_BLOCK, BLOCKS_PER_GROUP, INODE_SIZE, INODES,
       INODES_PER_GROUP, ITABLE_BLOCKS, FIRST_INODE, FLEX_SIZE, CLUSTER_SIZE,
       FACTS };

static void note_fact(struct fact *facts, const char *line)
{
	size_t len;
	int i;

	for (i = 0; i < FACTS; i++) {
		len = strlen(facts[i].name);
		if (!strncmp(line, facts[i].name, len) && line[len] == ':')
			facts[i].value = strtoull(line + len + 1, NULL, 10);
	}
}

static void check_facts(const struct e2s_geometry *geo, const struct fact *facts,
			uint32_t groups)
{
	uint64_t flex = facts[FLEX_SIZE].value;

	CHECK(geo->block_size == facts[BLOCK_SIZE].value);
	CHECK(geo->blocks == facts[BLOCKS].value);
	CHECK(geo->first_data_block == facts[FIRST_BLOCK].value);
	CHECK(geo->blocks_per_group == facts[BLOCKS_PER_GROUP].value);
	CHECK(geo->inode_size == facts[INODE_SIZE].value);
	CHECK(geo->inodes == facts[INODES].value);
	CHECK(geo->inodes_per_group == facts[INODES_PER_GROUP].value);
	CHECK(geo->itable_blocks == facts[ITABLE_BLOCKS].value);
	CHECK(geo->first_ino == facts[FIRST_INODE].value);
	CHECK(geo->inodes_per_block ==
	      facts[BLOCK_SIZE].value / facts[INODE_SIZE].value);
	CHECK(geo->cluster_blocks ==
	      (facts[CLUSTER_SIZE].value ?
	       facts[CLUSTER_SIZE].value / facts[BLOCK_SIZE].value : 1));
	CHECK(geo->groups == groups);
	CHECK(geo->inodes == geo->groups * geo->inodes_per_group);
	CHECK(geo->flex_size == flex);
	CHECK(1u << geo->flex_shift == flex);
	CHECK(geo->flex_groups == (groups + flex - 1) / flex);
	CHECK(e2s_geometry_flex_len(geo, 0) == (groups < flex ? groups : flex));
	CHECK(e2s_geometry_flex_len(geo, groups - 1) == 1);
}

/* What dumpe2fs says of one group, line by line. */
static void check_group_line(const struct e2s_fs *fs, uint32_t group,
			     int csum, int *uninit, const char *line)
{
	uint64_t from;
	uint32_t unused;
	const char *at;

	if (!strncmp(line, "Group ", 6)) {
		*uninit = strstr(line, "INODE_UNINIT") != NULL;
		CHECK(e2s_fs_inode_uninit(fs, group) == *uninit);
	}
	at = strstr(line, "Inode table at ");
	if (at && sscanf(at, "Inode table at %" SCNu64, &from) == 1)
		CHECK(e2s_fs_itable_blk(fs, group) == from);
	at = strstr(line, " directories");
	if (!at)
		return;
	if (sscanf(at, " directories, %" SCNu32 " unused", &unused) != 1)
		unused = 0;
	if (!csum)
		unused = 0;
	CHECK(e2s_fs_itable_used(fs, group) ==
	      (*uninit ? 0 : fs->geo.inodes_per_group - unused));
}

static void compare_with_dumpe2fs(const struct e2s_fs *fs)
{
	struct fact facts[FACTS] = {
		[BLOCK_SIZE] = { "Block size", 0 },
		[BLOCKS] = { "Block count", 0 },
		[FIRST_BLOCK] = { "First block", 0 },
		[BLOCKS_PER_GROUP] = { "Blocks per group", 0 },
		[INODE_SIZE] = { "Inode size", 128 },
		[INODES] = { "Inode count", 0 },
		[INODES_PER_GROUP] = { "Inodes per group", 0 },
		[ITABLE_BLOCKS] = { "Inode blocks per group", 0 },
		[FIRST_INODE] = { "First inode", 11 },
		[FLEX_SIZE] = { "Flex block group size", 1 },
		[CLUSTER_SIZE] = { "Cluster size", 0 },
	};
	FILE *out = popen("dumpe2fs " IMAGE " 2>/dev/null", "r");
	int uninit = 0, csum = 0, metadata_csum = 0;
	uint32_t groups = 0;
	char line[1024];

	while (out && fgets(line, sizeof(line), out)) {
		if (!strncmp(line, "Group ", 6) && strstr(line, ": (Blocks "))
			groups++;
		if (groups) {
			check_group_line(fs, groups - 1, csum, &uninit, line);
			continue;
		}
		note_fact(facts, line);
		if (!strncmp(line, "Filesystem features:", 20)) {
			metadata_csum = strstr(line, " metadata_csum") != NULL;
			csum = metadata_csum || strstr(line, " uninit_bg");
		}
	}
	CHECK(out && !pclose(out));
	CHECK(groups > 0);
	check_facts(&fs->geo, facts, groups);
	CHECK(fs->geo.group_csum == csum);
	CHECK(fs->geo.metadata_csum == metadata_csum);
}

static struct e2s_fs *open_or_complain(const char *spec)
{
	struct e2s_where where = { 0 };
	struct e2s_fs *fs;
	errcode_t err = e2s_fs_open(spec, 0, &fs, &where);

	if (err) {
		printf("%s: %s: %s %s\n", now, spec, error_message(err),
		       where.detail);
		failures++;
	}
	return fs;
}

static errcode_t error_of(const char *spec)
{
	struct e2s_fs *fs = NULL;
	errcode_t err = e2s_fs_open(spec, 0, &fs, NULL);

	CHECK(err ? !fs : fs != NULL);
	e2s_fs_close(fs);
	return err;
}

static void overwrite(const char *path, off_t at, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || pwrite(fd, bytes, n, at) != (ssize_t)n || close(fd)) {
		perror(path);
		exit(1);
	}
}

/* The same file system further back in a file, and a block read from it. */
static void read_behind_offset(void)
{
	struct e2s_where where = { 0 };
	struct e2s_fs *fs, *plain;
	char spec[64], *a, *b;

	now = "offset";
	make_image(&shapes[0]);
	run("dd if=" IMAGE " of=" SHIFTED " bs=512 seek=24112 status=none");
	snprintf(spec, sizeof(spec), SHIFTED "?offset=%d", SHIFT);
	fs = open_or_complain(spec);
	plain = open_or_complain(IMAGE);
	if (!fs || !plain)
		exit(1);
	CHECK(fs->offset == SHIFT && !strcmp(fs->device, SHIFTED));
	CHECK(!memcmp(&fs->geo, &plain->geo, sizeof(fs->geo)));
	a = malloc(3 * 4096);
	b = malloc(3 * 4096);
	if (!a || !b)
		abort();
	memset(a, 0x5a, 3 * 4096);
	overwrite(SHIFTED, SHIFT + 100 * 4096, a, 3 * 4096);
	CHECK(!e2s_fs_read(fs, 100, 3, b, NULL));
	CHECK(!memcmp(a, b, 3 * 4096));
	CHECK(e2s_fs_read(plain, fs->geo.blocks - 1, 2, b, &where) ==
	      E2S_ET_SHORT_READ);
	CHECK(where.set == E2S_WHERE_BLK && where.blk == fs->geo.blocks);
	free(a);
	free(b);
	e2s_fs_close(fs);
	e2s_fs_close(plain);
	CHECK(error_of(SHIFTED "?offset=512") == E2S_ET_NOT_EXT);
	CHECK(error_of(SHIFTED "?offset=99999999999") == E2S_ET_BAD_OFFSET);
	CHECK(error_of(SHIFTED "?offset=-1") == E2S_ET_BAD_OFFSET);
	CHECK(error_of(SHIFTED "?offset=12k") == E2S_ET_BAD_OFFSET);
	CHECK(error_of(SHIFTED "?offset=") == E2S_ET_BAD_OFFSET);
	/* A name that exists is a name. */
	run("mv " IMAGE " '" IMAGE "?offset=1'");
	CHECK(error_of(IMAGE "?offset=1") == 0);
	unlink(IMAGE "?offset=1");
	unlink(SHIFTED);
}

/*
 * Superblocks that lie: each must end in an error, and none in a crash or in
 * memory by the size of the lie.
 */
static void lying_superblocks(void)
{
	static const struct {
		const char *what;
		size_t at, size;	/* bytes in the superblock */
		uint32_t value;
	} lies[] = {
		{ "s_inodes_count", 0, 4, 4294967295u },
		{ "s_inodes_count 1", 0, 4, 1 },
		{ "s_blocks_count", 4, 4, 4000000000u },
		{ "s_blocks_count 0", 4, 4, 0 },
		{ "s_first_data_block", 20, 4, 4294967295u },
		{ "s_log_block_size", 24, 4, 200 },
		{ "s_log_cluster_size", 28, 4, 200 },
		{ "s_blocks_per_group 0", 32, 4, 0 },
		{ "s_blocks_per_group", 32, 4, 4294967295u },
		{ "s_clusters_per_group 0", 36, 4, 0 },
		{ "s_inodes_per_group 0", 40, 4, 0 },
		{ "s_inodes_per_group", 40, 4, 4000000000u },
		{ "s_rev_level", 76, 4, 7 },
		{ "s_first_ino", 84, 4, 4294967295u },
		{ "s_inode_size 0", 88, 2, 0 },
		{ "s_inode_size", 88, 2, 3000 },
		{ "s_desc_size", 254, 2, 3 },
		{ "s_desc_size", 254, 2, 65535 },
		{ "s_log_groups_per_flex", 372, 1, 255 },
	};
	uint32_t value;
	size_t i;

	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		now = lies[i].what;
		make_image(&(struct shape){ "-t ext4 -O ^metadata_csum", "64M" });
		value = ext2fs_cpu_to_le32(lies[i].value);
		overwrite(IMAGE, SUPERBLOCK_OFFSET + (off_t)lies[i].at, &value,
			  lies[i].size);
		CHECK(error_of(IMAGE) != 0);
	}
}

static void errors(void)
{
	now = "errors";
	CHECK(error_of("missing") == ENOENT);
	CHECK(error_of(".") == E2S_ET_IS_DIRECTORY);
	CHECK(error_of("/dev/null") == E2S_ET_NOT_DEVICE);
	CHECK(error_of("LABEL=e2spread-no-such-label") == E2S_ET_NO_SUCH_TAG);
	run(": >empty; truncate -s 1M zeros");
	CHECK(error_of("empty") == E2S_ET_NOT_EXT);
	CHECK(error_of("zeros") == E2S_ET_NOT_EXT);
	overwrite("zeros", 0, "QFI\xfb", 4);
	CHECK(error_of("zeros") == E2S_ET_QCOW2);
	make_image(&shapes[0]);
	run("truncate -s -1 " IMAGE);
	CHECK(error_of(IMAGE) == E2S_ET_SHORT_DEVICE);
	make_image(&shapes[0]);
	overwrite(IMAGE, SUPERBLOCK_OFFSET + 0x3fc, "\0\0\0\0", 4);
	CHECK(error_of(IMAGE) == E2S_ET_BAD_SUPER);
	make_image(&(struct shape){ "-O journal_dev", "64M" });
	CHECK(error_of(IMAGE) == E2S_ET_JOURNAL_DEVICE);
	make_image(&(struct shape){ "-t ext4 -O ^metadata_csum", "64M" });
	overwrite(IMAGE, SUPERBLOCK_OFFSET + 0x60 + 3, "\x40", 1);
	CHECK(error_of(IMAGE) == E2S_ET_UNKNOWN_INCOMPAT);
	e2s_fs_close(NULL);
}

/* Against libext2fs, at all lengths up to a block and more, which the lanes of
 * all sizes are part of, and all alignments. */
static void checksums(void)
{
	uint8_t data[4500];
	size_t len, at;

	for (len = 0; len < sizeof(data); len++)
		data[len] = (uint8_t)(len * 151 + len / 7);
	for (at = 0; at < 9; at++)
		for (len = 0; len + at <= sizeof(data); len++)
			CHECK(e2s_crc32c((uint32_t)len * 0x9e3779b9u, data + at,
					 len) ==
			      ext2fs_crc32c_le((uint32_t)len * 0x9e3779b9u,
					       data + at, len));
	/* The check value of CRC-32C, which both leave uninverted. */
	CHECK(~e2s_crc32c(~0u, "123456789", 9) == 0xe3069283u);
}

/* Many at once against one at a time, of which checksums() has the measure. */
static void inode_checksums(uint32_t inode_size)
{
	enum { N = 64 };
	struct ext2_super_block super = { 0 };
	struct struct_ext2_filsys ext2 = { .super = &super,
					   .csum_seed = 0x1badcafe };
	struct e2s_fs fs = { .ext2 = &ext2, .geo.inode_size = inode_size };
	uint8_t *raw = malloc((size_t)N * inode_size), *inode;
	uint64_t want;
	unsigned i, n, flips;

	for (i = 0; i < N * inode_size; i++)
		raw[i] = (uint8_t)(i * 2654435761u >> 13);
	for (i = 0; i < N; i++) {
		inode = raw + (size_t)i * inode_size;
		/* With and without room for the high half. */
		if (inode_size > 128)
			e2s_put_le16(inode + 0x80, (uint16_t)(i % 3 ? 32 : i % 5));
		e2s_csum_inode_set(&fs, 100 + i, inode);
	}
	CHECK(e2s_csum_inodes_wrong(&fs, 100, raw, N) == 0);
	CHECK(e2s_csum_inodes_wrong(&fs, 101, raw, N) == ~UINT64_C(0));
	for (n = 0; n <= N; n++) {
		inode = raw + (size_t)(n % N) * inode_size;
		inode[n * 37 % inode_size] ^= 0x10;
		for (want = flips = i = 0; i < n; i++)
			if (!e2s_csum_inode_match(&fs, 100 + i, raw +
						  (size_t)i * inode_size))
				want |= UINT64_C(1) << i, flips++;
		CHECK(e2s_csum_inodes_wrong(&fs, 100, raw, n) == want);
	}
	CHECK(flips > N / 2);
	free(raw);
}

int main(void)
{
	struct e2s_fs *fs;
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		now = shapes[i].options;
		make_image(&shapes[i]);
		fs = open_or_complain(IMAGE);
		if (fs) {
			CHECK(fs->doubts == 0);
			compare_with_dumpe2fs(fs);
		}
		e2s_fs_close(fs);
	}
	checksums();
	for (i = 128; i <= 1024; i *= 2)
		inode_checksums((uint32_t)i);
	read_behind_offset();
	errors();
	lying_superblocks();
	return failures != 0;
}
