/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify: without arguments, every sort of single bit that verify answers for
 * is flipped, a sample with a fixed seed, and must be noticed; with some, the
 * hands of the cases verify-*.t:
 *
 *     verify read IMAGE                    what verify finds, a line a thing
 *     verify compare BEFORE AFTER [MAP]    the verdict; MAP has a line "OLD NEW"
 *                                          for each inode that moves
 *     verify time IMAGE                    seconds with one thread and with two
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fs/csum.h"
#include "tests/unit/check.h"
#include "verify/hash.h"
#include "verify/verify.h"

#define IMAGE "verify.img"

static void die(const char *what, errcode_t err, const struct e2s_where *where)
{
	printf("%s: %s", what, error_message(err));
	e2s_where_print(where, stdout);
	putchar('\n');
	exit(8);
}

/* --- the plan of a test: pairs of numbers --- */

struct map {
	uint32_t (*v)[2];
	size_t n;
};

static uint32_t new_of(void *ctx, uint32_t old)
{
	const struct map *map = ctx;
	size_t i;

	for (i = 0; i < map->n; i++)
		if (map->v[i][0] == old)
			return map->v[i][1];
	return old;
}

static void read_map(const char *path, struct map *map)
{
	FILE *file = fopen(path, "r");
	uint32_t old, new;

	if (!file) {
		perror(path);
		exit(8);
	}
	while (fscanf(file, "%" SCNu32 " %" SCNu32, &old, &new) == 2) {
		map->v = realloc(map->v, (map->n + 1) * sizeof(*map->v));
		if (!map->v)
			exit(8);
		map->v[map->n][0] = old;
		map->v[map->n++][1] = new;
	}
	fclose(file);
}

/* --- reading --- */

static errcode_t try_read(const char *image, unsigned threads, struct map *map,
			  struct e2s_verify *ret, struct e2s_where *where)
{
	struct e2s_verify_options options = {
		.threads = threads, .new_of = map ? new_of : NULL, .ctx = map,
	};
	struct e2s_fs *fs;
	errcode_t err;

	err = e2s_fs_open(image, 0, &fs, where);
	if (err)
		return err;
	err = e2s_verify_read(fs, &options, ret, where);
	e2s_fs_close(fs);
	return err;
}

static void read_image(const char *image, unsigned threads, struct map *map,
		       struct e2s_verify *ret)
{
	struct e2s_where where = { 0 };
	errcode_t err = try_read(image, threads, map, ret, &where);

	if (err)
		die(image, err, &where);
}

static int do_read(const char *image)
{
	struct e2s_verify verify, again;
	const struct e2s_fault *fault;
	unsigned i;

	read_image(image, 1, NULL, &verify);
	read_image(image, 3, NULL, &again);
	printf("inodes %" PRIu64 "\ndirectories %" PRIu64 "\nnames %" PRIu64
	       "\nextent blocks %" PRIu64 "\nxattr blocks %" PRIu64 "\n",
	       verify.inodes, verify.directories, verify.names,
	       verify.extent_blocks, verify.xattr_blocks);
	for (i = 0; i < E2S_FAULT_KINDS; i++) {
		fault = &verify.fault[i];
		if (fault->n)
			printf("fault: %" PRIu64 " x %s (group %" PRIu32
			       ", inode %" PRIu32 ", block %" PRIu64 ")\n",
			       fault->n, e2s_fault_words(i), fault->group,
			       fault->ino, fault->blk);
	}
	if (memcmp(&verify, &again, sizeof(verify))) {
		puts("differs with three threads");
		return 1;
	}
	return e2s_verify_faults(&verify) != 0;
}

static int do_compare(const char *one, const char *other, const char *map_path)
{
	struct map map = { 0 };
	struct e2s_verify before, after;
	struct e2s_where where = { 0 };
	errcode_t err;

	if (map_path)
		read_map(map_path, &map);
	read_image(one, 0, &map, &before);
	err = e2s_verify_check(&before, &where);
	if (err)
		die(one, err, &where);
	/* What cannot even be opened has been caught too. */
	err = try_read(other, 0, NULL, &after, &where);
	if (!err)
		err = e2s_verify_compare(&before, &after, &where);
	free(map.v);
	if (!err) {
		puts("equal");
		return 0;
	}
	fputs(err == E2S_ET_VERIFY_FAULT ? "fault" :
	      err == E2S_ET_VERIFY_DIFFERS ? "differs" :
	      err == E2S_ET_VERIFY_PLACES ? "places" :
	      error_message(err), stdout);
	e2s_where_print(&where, stdout);
	putchar('\n');
	return 1;
}

static int do_time(const char *image)
{
	struct e2s_verify verify;
	struct timespec a, b;
	unsigned threads;

	for (threads = 1; threads <= 2; threads++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		read_image(image, threads, NULL, &verify);
		clock_gettime(CLOCK_MONOTONIC, &b);
		printf("%u threads: %.3f s, %" PRIu64 " inodes\n", threads,
		       (double)(b.tv_sec - a.tv_sec) +
		       (double)(b.tv_nsec - a.tv_nsec) / 1e9, verify.inodes);
	}
	return 0;
}

/* --- single bits --- */

struct lab {
	int fd;
	struct e2s_fs *fs;
	struct e2s_verify before;
	const char *shape;
	unsigned tried;
};

/* The same numbers every time (Numerical Recipes' constants). */
static uint32_t draw(uint32_t below)
{
	static uint64_t state = 20261130;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((state >> 33) % below);
}

static void put(struct lab *lab, const void *data, size_t len, uint64_t at)
{
	if (pwrite(lab->fd, data, len, (off_t)at) != (ssize_t)len) {
		perror(IMAGE);
		exit(8);
	}
}

/* Writes NEW over OLD, which must be noticed, and OLD again. */
static void damage(struct lab *lab, const void *new, const void *old, size_t len,
		   uint64_t at, const char *what, unsigned bit)
{
	struct e2s_where where = { 0 };
	struct e2s_verify after;
	errcode_t err;

	put(lab, new, len, at);
	err = try_read(IMAGE, 1, NULL, &after, &where);
	if (!err)
		err = e2s_verify_compare(&lab->before, &after, &where);
	if (!err) {
		printf("%s: %s: bit %u at %" PRIu64 " is not noticed\n",
		       lab->shape, what, bit, at);
		failures++;
	}
	put(lab, old, len, at);
	lab->tried++;
}

/* LEN bytes at AT: SAMPLES single bits of them. */
static void flip(struct lab *lab, uint64_t at, size_t len, unsigned samples,
		 const char *what)
{
	uint8_t old, new;
	uint32_t bit;

	for (; samples; samples--) {
		bit = draw((uint32_t)len * 8);
		if (pread(lab->fd, &old, 1, (off_t)(at + bit / 8)) != 1)
			exit(8);
		new = old ^ (uint8_t)(1u << bit % 8);
		damage(lab, &new, &old, 1, at + bit / 8, what, bit);
	}
}

static uint64_t inode_at(const struct lab *lab, uint32_t ino)
{
	const struct e2s_geometry *geo = &lab->fs->geo;

	return e2s_fs_itable_blk(lab->fs, (ino - 1) / geo->inodes_per_group) *
	       geo->block_size +
	       (uint64_t)((ino - 1) % geo->inodes_per_group) * geo->inode_size;
}

/* Bits of inodes in use, the checksum made right again, so that only what
 * verify makes of their bytes can tell. */
static void flip_inode(struct lab *lab, uint32_t ino, unsigned samples)
{
	uint32_t size = lab->fs->geo.inode_size, bit;
	uint8_t old[1024], new[1024];
	uint64_t at = inode_at(lab, ino);

	if (pread(lab->fd, old, size, (off_t)at) != (ssize_t)size)
		exit(8);
	for (; samples; samples--) {
		do
			bit = draw(size * 8);
		while (lab->fs->geo.metadata_csum &&
		       (bit / 16 * 2 == 0x7c || bit / 16 * 2 == 0x82));
		memcpy(new, old, size);
		new[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (lab->fs->geo.metadata_csum)
			e2s_csum_inode_set(lab->fs, ino, new);
		damage(lab, new, old, size, at, "inode", bit);
	}
}

struct blocks {
	struct lab *lab;
	int metadata;		/* of the mapping, not of the data */
	const char *what;
};

static int flip_block(ext2_filsys ext2, blk64_t *blk, e2_blkcnt_t lblk,
		      blk64_t ref, int offset, void *ctx)
{
	const struct blocks *blocks = ctx;

	(void)ref;
	(void)offset;
	if (blocks->metadata == (lblk < 0))
		flip(blocks->lab, *blk * ext2->blocksize, ext2->blocksize, 12,
		     blocks->what);
	return 0;
}

/* The blocks of an inode, as libext2fs finds them. */
static void flip_blocks(struct lab *lab, uint32_t ino, int metadata,
			const char *what)
{
	struct blocks blocks = { lab, metadata, what };
	struct ext2_inode inode;

	if (ext2fs_read_inode(lab->fs->ext2, ino, &inode))
		exit(8);
	if (!(inode.i_flags & EXT4_INLINE_DATA_FL))
		ext2fs_block_iterate3(lab->fs->ext2, ino, 0, NULL, flip_block,
				      &blocks);
}

static uint32_t find(struct lab *lab, const char *path)
{
	ext2_ino_t ino;

	if (ext2fs_namei(lab->fs->ext2, EXT2_ROOT_INO, EXT2_ROOT_INO, path,
			 &ino)) {
		printf("%s: no %s\n", lab->shape, path);
		exit(8);
	}
	return ino;
}

static void flip_all(struct lab *lab)
{
	const struct e2s_geometry *geo = &lab->fs->geo;
	uint32_t desc = EXT2_DESC_SIZE(lab->fs->ext2->super), ino, size;
	int extents = ext2fs_has_feature_extents(lab->fs->ext2->super);

	for (ino = 1; ino < geo->first_ino + 12; ino++)
		flip_inode(lab, ino, 12);
	flip_inode(lab, find(lab, "/d/sparse"), 30);
	flip_inode(lab, find(lab, "/d"), 60);
	flip_inode(lab, find(lab, "/small"), 60);
	flip_blocks(lab, find(lab, "/d"), 0, "directory block");
	flip_blocks(lab, EXT2_ROOT_INO, 0, "directory block");
	if (extents && geo->metadata_csum)
		flip_blocks(lab, find(lab, "/d/sparse"), 1, "extent block");
	flip(lab, ext2fs_inode_bitmap_loc(lab->fs->ext2, 0) * geo->block_size,
	     geo->block_size, 40, "bitmap");
	/* Without checksums some bits behind the flags mean nothing. */
	size = geo->group_csum ? desc : 0x12;
	flip(lab, (geo->first_data_block + 1) * geo->block_size, size, 60,
	     "descriptor");
	if (geo->metadata_csum)
		flip(lab, 1024, 1024, 40, "superblock");
}

static void run(const char *command)
{
	if (system(command)) {
		printf("failed: %s\n", command);
		exit(8);
	}
}

static void try_shape(const char *shape)
{
	struct lab lab = { .shape = shape };
	struct e2s_where where = { 0 };
	char command[512];
	errcode_t err;

	setenv("E2FSPROGS_FAKE_TIME", "1500000000", 1);
	snprintf(command, sizeof(command), "rm -f " IMAGE
		 " && mke2fs -q -F -b 1024 -N 256 -d tree %s " IMAGE
		 " 2M >mke2fs.log 2>&1", shape);
	run(command);
	read_image(IMAGE, 1, NULL, &lab.before);
	err = e2s_verify_check(&lab.before, &where);
	if (!err)
		err = e2s_fs_open(IMAGE, 0, &lab.fs, &where);
	if (err)
		die(shape, err, &where);
	lab.fd = open(IMAGE, O_RDWR);
	CHECK(lab.fd >= 0);
	flip_all(&lab);
	printf("%s: %u bits flipped\n", shape, lab.tried);
	close(lab.fd);
	e2s_fs_close(lab.fs);
}

static void test_bits(void)
{
	run("mkdir -p tree/d tree/small && for i in 1 2 3 4 5 6 7 8 9; do "
	    "echo $i >tree/d/a_name_of_some_length$i; done; "
	    "echo x >tree/small/x; ln tree/small/x tree/d/link; for i in 1 3 5 "
	    "7 9 11 13; do dd if=/dev/zero of=tree/d/sparse bs=1024 count=1 "
	    "seek=$i conv=notrunc status=none; done");
	try_shape("-t ext4 -O ^has_journal");
	try_shape("-t ext4 -O ^has_journal,inline_data");
	try_shape("-t ext4 -O ^has_journal,^metadata_csum,uninit_bg");
	try_shape("-t ext4 -O ^has_journal,^metadata_csum,inline_data");
	try_shape("-t ext2 -I 128");
	unlink(IMAGE);
}

/* --- the hash --- */

/* No two of some inputs that mistakes might take for one another have the same
 * hash: one bit different, one byte longer, two pieces of 16 bytes exchanged. */
static void test_hash(void)
{
	uint8_t data[300], piece[16];
	uint64_t hash;
	size_t len, i, k;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 37 + i / 16);
	for (len = 1; len < sizeof(data); len += len < 80 ? 1 : 23) {
		hash = e2s_verify_hash(HASH_RAW, 7, data, len);
		CHECK(hash != e2s_verify_hash(HASH_RAW, 7, data, len + 1));
		CHECK(hash != e2s_verify_hash(HASH_RAW, 8, data, len));
		CHECK(hash != e2s_verify_hash(HASH_EXTENT, 7, data, len));
		for (i = 0; i < len * 8; i++) {
			data[i / 8] ^= (uint8_t)(1u << i % 8);
			CHECK(hash != e2s_verify_hash(HASH_RAW, 7, data, len));
			data[i / 8] ^= (uint8_t)(1u << i % 8);
		}
		for (i = 0; i + 16 <= len; i += 16)
			for (k = i + 16; k + 16 <= len; k += 16) {
				memcpy(piece, data + i, 16);
				memcpy(data + i, data + k, 16);
				memcpy(data + k, piece, 16);
				CHECK(hash != e2s_verify_hash(HASH_RAW, 7, data,
							      len));
				memcpy(data + k, data + i, 16);
				memcpy(data + i, piece, 16);
			}
	}
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3 && !strcmp(argv[1], "read"))
		return do_read(argv[2]);
	if (argc >= 4 && !strcmp(argv[1], "compare"))
		return do_compare(argv[2], argv[3], argv[4]);
	if (argc == 3 && !strcmp(argv[1], "time"))
		return do_time(argv[2]);
	CHECK(argc == 1);
	test_hash();
	test_bits();
	return failures != 0;
}
