/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readdir: single directories of a scan, read on demand: names and paths. */
#ifndef E2S_SCAN_READDIR_H
#define E2S_SCAN_READDIR_H

#include "scan/scan.h"

/* One name of a directory. */
struct e2s_name {
	uint32_t ino;
	uint32_t hash, minor;	/* htree hash; 0 in directory order */
	uint32_t at;		/* in e2s_names.bytes: its length, its bytes;
				 * where they are not wanted, how many before */
};

/* The names of a directory but for "." and "..".  All zero is empty. */
struct e2s_names {
	struct e2s_name *v;
	size_t n;
	uint8_t *bytes;
	int hashed;		/* v is in htree hash order */
	size_t bytes_n, bytes_room;
	size_t room;			/* of v, and of */
	struct e2s_name *spare;		/* the other half of */
	struct e2s_name *memory;
};

enum e2s_readdir_flag {
	E2S_READDIR_BYTES = 1,	/* the names themselves are wanted, too */
};

/*
 * Reads the directory DIR in the order in which readdir gives its names: hash
 * order where the kernel uses it (k: is_dx_dir), else that of the blocks.
 * Problems have been counted by the scan, so damaged blocks are passed over.
 * NAMES is empty, or holds those of another directory, whose memory is used
 * again; it is for e2s_names_free(), also after an error.  Any thread.
 */
errcode_t e2s_scan_readdir(const struct e2s_scan *scan, uint32_t dir,
			   unsigned flags, struct e2s_names *names,
			   struct e2s_where *where);
void e2s_names_free(struct e2s_names *names);

/*
 * Paths of the N directories numbered DIRS, each a string for free() in
 * PATHS[i], "?" in place of a component whose name cannot be read.  Reads every
 * directory on the way once.
 */
errcode_t e2s_scan_paths(const struct e2s_scan *scan, const uint32_t *dirs,
			 size_t n, char **paths, struct e2s_where *where);


static inline uint32_t e2s_name_len(const struct e2s_names *names, size_t i)
{
	return names->bytes[names->v[i].at];
}

static inline const char *e2s_name_text(const struct e2s_names *names, size_t i)
{
	return (const char *)names->bytes + names->v[i].at + 1;
}

#endif
