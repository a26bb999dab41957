/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where: the place an error belongs to.
 *
 * The function that picks an error code also fills a struct e2s_where, if its
 * caller gave one; callers above hand both on untouched, and e2spread/ prints
 * them in one line.  A struct that is all zero names no place.
 */
#ifndef E2S_UTIL_WHERE_H
#define E2S_UTIL_WHERE_H

#include <stdint.h>
#include <stdio.h>

#include <et/com_err.h>

#include "util/err.h"

enum e2s_where_set {
	E2S_WHERE_GROUP = 1,
	E2S_WHERE_INO = 2,
	E2S_WHERE_BLK = 4,
	E2S_WHERE_LINE = 8,
};

struct e2s_where {
	unsigned set;		/* which of the numbers below count */
	uint32_t group;		/* block group */
	uint32_t ino;		/* inode number */
	uint64_t blk;		/* file-system block */
	uint64_t line;		/* line of a text file that was read */
	char detail[160];	/* words to add, "" for none */
};

/* Each returns ERR, so that a leaf can write "return e2s_where_ino(...)". */
errcode_t e2s_where_group(struct e2s_where *where, errcode_t err, uint32_t group);
errcode_t e2s_where_ino(struct e2s_where *where, errcode_t err, uint32_t ino);
errcode_t e2s_where_blk(struct e2s_where *where, errcode_t err, uint64_t blk);
errcode_t e2s_where_line(struct e2s_where *where, errcode_t err, uint64_t line);
errcode_t e2s_where_detail(struct e2s_where *where, errcode_t err,
			   const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends " (group 3, inode 25, block 1059: words)" to STREAM, or nothing. */
void e2s_where_print(const struct e2s_where *where, FILE *stream);

/* True when ERR means that the device was refused, not that something broke. */
int e2s_err_is_refusal(errcode_t err);

#endif
