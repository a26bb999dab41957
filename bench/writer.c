/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer FILE BYTES: writes BYTES bytes one after the other to the new file
 * FILE and waits until they are on disk; the least that changing so much can
 * cost.  The bytes are not all alike, so that no disk can save itself the
 * work.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHUNK_BYTES (1 << 20)

static void fill(uint64_t *words, size_t n)
{
	uint64_t x = 88172645463325252ULL;
	size_t i;

	for (i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words[i] = x;
	}
}

static int write_all(int fd, uint64_t *words, uint64_t bytes)
{
	size_t chunk;
	ssize_t done;

	for (; bytes; bytes -= (uint64_t)done) {
		chunk = bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES;
		words[0] = bytes;
		done = write(fd, words, chunk);
		if (done < 0)
			return -1;
	}
	return fsync(fd);
}

int main(int argc, char **argv)
{
	static uint64_t words[CHUNK_BYTES / sizeof(uint64_t)];
	uint64_t bytes;
	char *end;
	int fd;

	bytes = argc == 3 ? strtoull(argv[2], &end, 10) : 0;
	if (!bytes || *end) {
		fprintf(stderr, "usage: writer FILE BYTES\n");
		return 2;
	}
	fd = open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	fill(words, CHUNK_BYTES / sizeof(*words));
	if (write_all(fd, words, bytes) || close(fd)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
