/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The redo file's bytes: heads, lists, checksums. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "redo/redofile.h"

enum head_field {
	HEAD_MAGIC = 0x00,
	HEAD_VERSION = 0x08,
	HEAD_BLOCK_SIZE = 0x0c,
	HEAD_UUID = 0x10,
	HEAD_SUPER_CRC = 0x20,
	HEAD_STATE = 0x24,
	HEAD_GENERATION = 0x28,
	HEAD_BATCH = 0x30,
	HEAD_BLOCKS = 0x38,
	HEAD_LIST_CRC = 0x40,
	HEAD_CRC = 0x1fc,
};

static const char magic[8] = "e2sredo";

static void put_le32(unsigned char *p, uint32_t v)
{
	v = ext2fs_cpu_to_le32(v);
	memcpy(p, &v, sizeof(v));
}

static void put_le64(unsigned char *p, uint64_t v)
{
	v = ext2fs_cpu_to_le64(v);
	memcpy(p, &v, sizeof(v));
}

static uint32_t get_le32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return ext2fs_le32_to_cpu(v);
}

static uint64_t get_le64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return ext2fs_le64_to_cpu(v);
}

errcode_t e2s_redofile_read(const struct e2s_redofile *file, uint64_t at,
			    void *buf, size_t size)
{
	char *to = buf;
	ssize_t got;

	while (size) {
		got = pread(file->fd, to, size, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? errno : (errcode_t)E2S_ET_SHORT_READ;
		to += got;
		at += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

errcode_t e2s_redofile_write(const struct e2s_redofile *file, uint64_t at,
			     const void *buf, size_t size)
{
	const char *from = buf;
	ssize_t put;

	while (size) {
		put = pwrite(file->fd, from, size, (off_t)at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? errno : ENOSPC;
		from += put;
		at += (uint64_t)put;
		size -= (size_t)put;
	}
	return 0;
}

static uint64_t head_at(uint64_t generation)
{
	return generation & 1 ? E2S_REDOFILE_HEAD_B : E2S_REDOFILE_HEAD_A;
}

errcode_t e2s_redofile_write_head(struct e2s_redofile *file)
{
	unsigned char raw[E2S_REDOFILE_HEAD_SIZE] = { 0 };
	struct e2s_redofile_head *head = &file->head;
	errcode_t err;

	head->generation++;
	memcpy(raw + HEAD_MAGIC, magic, sizeof(magic));
	put_le32(raw + HEAD_VERSION, E2S_REDOFILE_VERSION);
	put_le32(raw + HEAD_BLOCK_SIZE, head->block_size);
	memcpy(raw + HEAD_UUID, head->uuid, sizeof(head->uuid));
	put_le32(raw + HEAD_SUPER_CRC, head->super_crc);
	put_le32(raw + HEAD_STATE, head->state);
	put_le64(raw + HEAD_GENERATION, head->generation);
	put_le64(raw + HEAD_BATCH, head->batch);
	put_le64(raw + HEAD_BLOCKS, head->blocks);
	put_le32(raw + HEAD_LIST_CRC, head->list_crc);
	put_le32(raw + HEAD_CRC, e2s_crc32c(~0u, raw, HEAD_CRC));
	err = e2s_redofile_write(file, head_at(head->generation), raw,
				 sizeof(raw));
	if (!err && fsync(file->fd))
		err = errno;
	return err;
}

static int decode_head(const unsigned char *raw,
		       struct e2s_redofile_head *head)
{
	if (memcmp(raw + HEAD_MAGIC, magic, sizeof(magic)) ||
	    get_le32(raw + HEAD_VERSION) != E2S_REDOFILE_VERSION ||
	    get_le32(raw + HEAD_CRC) != e2s_crc32c(~0u, raw, HEAD_CRC))
		return 0;
	head->block_size = get_le32(raw + HEAD_BLOCK_SIZE);
	memcpy(head->uuid, raw + HEAD_UUID, sizeof(head->uuid));
	head->super_crc = get_le32(raw + HEAD_SUPER_CRC);
	head->state = get_le32(raw + HEAD_STATE);
	head->generation = get_le64(raw + HEAD_GENERATION);
	head->batch = get_le64(raw + HEAD_BATCH);
	head->blocks = get_le64(raw + HEAD_BLOCKS);
	head->list_crc = get_le32(raw + HEAD_LIST_CRC);
	return head->block_size >= EXT2_MIN_BLOCK_SIZE &&
	       head->block_size <= EXT2_MAX_BLOCK_SIZE &&
	       head->blocks <= E2S_REDO_MAX_BLOCKS &&
	       head->state <= E2S_REDOFILE_COMMITTED;
}

errcode_t e2s_redofile_read_head(struct e2s_redofile *file)
{
	unsigned char raw[E2S_REDOFILE_HEAD_SIZE];
	struct e2s_redofile_head head;
	uint64_t slot;
	errcode_t err;
	int found = 0;

	for (slot = 0; slot < 2; slot++) {
		err = e2s_redofile_read(file, head_at(slot), raw, sizeof(raw));
		if (err == E2S_ET_SHORT_READ)
			continue;
		if (err)
			return err;
		if (!decode_head(raw, &head) ||
		    (found && head.generation < file->head.generation))
			continue;
		file->head = head;
		found = 1;
	}
	if (!found)
		return E2S_ET_NOT_REDO;
	err = e2s_redofile_read(file, E2S_REDOFILE_SUPER, file->super,
				sizeof(file->super));
	if (!err && e2s_crc32c(~0u, file->super, sizeof(file->super)) !=
			    file->head.super_crc)
		err = E2S_ET_REDO_DAMAGED;
	return err;
}

errcode_t e2s_redofile_write_list(struct e2s_redofile *file,
				  const struct e2s_redo_list *list)
{
	size_t size = list->n * E2S_REDOFILE_ENTRY_SIZE, i;
	unsigned char *raw = malloc(size), *to = raw;
	errcode_t err;

	if (!raw)
		return ENOMEM;
	for (i = 0; i < list->n; i++, to += E2S_REDOFILE_ENTRY_SIZE) {
		put_le64(to, list->v[i].blk);
		put_le32(to + 8, list->v[i].pos);
		put_le32(to + 12, list->v[i].crc);
	}
	file->head.blocks = list->n;
	file->head.list_crc = e2s_crc32c(~0u, raw, size);
	err = e2s_redofile_write(file, e2s_redofile_data_at(file, list->n),
				 raw, size);
	free(raw);
	return err;
}

/* Blocks in ascending order, each with data of its own. */
static errcode_t decode_list(const struct e2s_redofile *file,
			     const unsigned char *raw,
			     struct e2s_redo_list *list)
{
	uint64_t i, n = file->head.blocks;
	struct e2s_redo_entry *entry;
	errcode_t err;

	err = e2s_vec_reserve(list, n);
	if (err)
		return err;
	for (i = 0; i < n; i++, raw += E2S_REDOFILE_ENTRY_SIZE) {
		entry = &list->v[list->n++];
		entry->blk = get_le64(raw);
		entry->pos = get_le32(raw + 8);
		entry->crc = get_le32(raw + 12);
		if (entry->pos >= n || (i && entry[-1].blk >= entry->blk))
			return E2S_ET_REDO_DAMAGED;
	}
	return 0;
}

static errcode_t check_data(const struct e2s_redofile *file,
			    const struct e2s_redo_list *list,
			    struct e2s_where *where)
{
	uint32_t size = file->head.block_size;
	unsigned char *buf = malloc(size);
	errcode_t err = buf ? 0 : ENOMEM;
	size_t i;

	for (i = 0; !err && i < list->n; i++) {
		err = e2s_redofile_read(file,
				e2s_redofile_data_at(file, list->v[i].pos),
				buf, size);
		if (!err && e2s_crc32c(~0u, buf, size) != list->v[i].crc)
			err = e2s_where_blk(where, E2S_ET_REDO_DAMAGED,
					    list->v[i].blk);
	}
	free(buf);
	return err;
}

errcode_t e2s_redofile_read_list(const struct e2s_redofile *file,
				 struct e2s_redo_list *list,
				 struct e2s_where *where)
{
	uint64_t n = file->head.blocks;
	size_t size = (size_t)n * E2S_REDOFILE_ENTRY_SIZE;
	unsigned char *raw = malloc(size ? size : 1);
	errcode_t err;

	if (!raw)
		return ENOMEM;
	err = e2s_redofile_read(file, e2s_redofile_data_at(file, n), raw, size);
	if (!err && e2s_crc32c(~0u, raw, size) != file->head.list_crc)
		err = E2S_ET_REDO_DAMAGED;
	if (!err)
		err = decode_list(file, raw, list);
	if (!err)
		err = check_data(file, list, where);
	free(raw);
	return err == E2S_ET_SHORT_READ ? E2S_ET_REDO_DAMAGED : err;
}

errcode_t e2s_redofile_sync_dir(const struct e2s_redofile *file)
{
	const char *slash = strrchr(file->path, '/');
	errcode_t err = 0;
	char *dir;
	int fd;

	dir = slash ? strndup(file->path, (size_t)(slash - file->path) + 1)
		    : strdup(".");
	if (!dir)
		return ENOMEM;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (fd < 0)
		return errno;
	if (fsync(fd))
		err = errno;
	close(fd);
	return err;
}

errcode_t e2s_redofile_unlink(const struct e2s_redofile *file)
{
	if (unlink(file->path) && errno != ENOENT)
		return errno;
	return e2s_redofile_sync_dir(file);
}

void e2s_redofile_release(struct e2s_redofile *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	file->fd = -1;
	file->path = NULL;
}
