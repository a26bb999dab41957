/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plain read that "e2spread report" is held against, in two steps so that
 * only the reading is timed:
 *
 *	reader find DEVICE >LIST	where the used parts of the inode tables
 *					and the blocks of directories are
 *	reader read DEVICE LIST		reads just that, in order of place
 *
 * A line of LIST is "OFFSET LENGTH" in bytes; adjacent pieces are one.  It is
 * libext2fs that finds them.
 */
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ext2fs/ext2fs.h>

#define CHUNK_BYTES (1 << 20)

struct blocks {
	uint64_t *blk;			/* numbers of blocks */
	size_t n, room;
	int failed;			/* no memory for one of them */
};

static void add(struct blocks *b, uint64_t blk)
{
	size_t room = b->room ? b->room * 2 : 4096;
	uint64_t *more;

	if (b->n == b->room) {
		more = realloc(b->blk, room * sizeof(*more));
		if (!more) {
			b->failed = 1;
			return;
		}
		b->blk = more;
		b->room = room;
	}
	b->blk[b->n++] = blk;
}

static void find_itables(ext2_filsys fs, struct blocks *b)
{
	uint64_t first, used, i;
	dgrp_t g;

	for (g = 0; g < fs->group_desc_count; g++) {
		used = fs->super->s_inodes_per_group;
		if (ext2fs_has_group_desc_csum(fs)) {
			if (ext2fs_bg_flags_test(fs, g, EXT2_BG_INODE_UNINIT))
				continue;
			used -= ext2fs_bg_itable_unused(fs, g);
		}
		used = (used * EXT2_INODE_SIZE(fs->super) + fs->blocksize - 1) /
			fs->blocksize;
		first = ext2fs_inode_table_loc(fs, g);
		for (i = 0; i < used; i++)
			add(b, first + i);
	}
}

static int add_block(ext2_filsys fs, blk64_t *blk, e2_blkcnt_t n,
		     blk64_t parent, int offset, void *priv)
{
	(void)fs;
	(void)n;
	(void)parent;
	(void)offset;
	add(priv, *blk);
	return 0;
}

static errcode_t find_directories(ext2_filsys fs, struct blocks *b)
{
	struct ext2_inode inode;
	ext2_inode_scan scan;
	errcode_t err;
	ext2_ino_t ino;

	err = ext2fs_open_inode_scan(fs, 0, &scan);
	if (err)
		return err;
	while (!(err = ext2fs_get_next_inode(scan, &ino, &inode)) && ino) {
		if (!inode.i_links_count || !LINUX_S_ISDIR(inode.i_mode) ||
		    inode.i_flags & EXT4_INLINE_DATA_FL)
			continue;
		err = ext2fs_block_iterate3(fs, ino, BLOCK_FLAG_DATA_ONLY |
					    BLOCK_FLAG_READ_ONLY, NULL,
					    add_block, b);
		if (err)
			break;
	}
	ext2fs_close_inode_scan(scan);
	return err;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print(const struct blocks *b, unsigned block_size)
{
	size_t i, n;

	for (i = 0; i < b->n; i += n) {
		for (n = 1; i + n < b->n && b->blk[i + n] == b->blk[i] + n; n++)
			;
		printf("%" PRIu64 " %" PRIu64 "\n", b->blk[i] * block_size,
		       (uint64_t)n * block_size);
	}
}

static int find(const char *device)
{
	struct blocks b = { NULL, 0, 0, 0 };
	ext2_filsys fs;
	errcode_t err;

	err = ext2fs_open(device, EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs);
	if (err) {
		fprintf(stderr, "%s: %s\n", device, error_message(err));
		return 1;
	}
	find_itables(fs, &b);
	err = find_directories(fs, &b);
	if (!err && b.failed)
		err = EXT2_ET_NO_MEMORY;
	if (err) {
		fprintf(stderr, "%s: %s\n", device, error_message(err));
	} else {
		qsort(b.blk, b.n, sizeof(*b.blk), by_number);
		print(&b, fs->blocksize);
	}
	free(b.blk);
	ext2fs_close(fs);
	return err || fflush(stdout) ? 1 : 0;
}

static int read_piece(int fd, char *buf, uint64_t offset, uint64_t length)
{
	size_t chunk;
	ssize_t done;

	while (length) {
		chunk = length < CHUNK_BYTES ? length : CHUNK_BYTES;
		done = pread(fd, buf, chunk, (off_t)offset);
		if (done <= 0)
			return -1;
		offset += (uint64_t)done;
		length -= (uint64_t)done;
	}
	return 0;
}

static int read_listed(const char *device, const char *list)
{
	static char buf[CHUNK_BYTES];
	uint64_t offset, length, pieces = 0;
	FILE *f = fopen(list, "r");
	int fd = open(device, O_RDONLY);

	if (!f || fd < 0) {
		perror(f ? device : list);
		return 1;
	}
	while (fscanf(f, "%" SCNu64 " %" SCNu64, &offset, &length) == 2) {
		if (read_piece(fd, buf, offset, length)) {
			perror(device);
			return 1;
		}
		pieces++;
	}
	if (!pieces || !feof(f)) {
		fprintf(stderr, "%s: not a list\n", list);
		return 1;
	}
	fclose(f);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	initialize_ext2_error_table();
	if (argc == 3 && !strcmp(argv[1], "find"))
		return find(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "read"))
		return read_listed(argv[2], argv[3]);
	fprintf(stderr, "usage: reader find DEVICE | read DEVICE LIST\n");
	return 2;
}
