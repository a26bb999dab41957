/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "util/util.h"

errcode_t e2s_where_group(struct e2s_where *where, errcode_t err, uint32_t group)
{
	if (where) {
		where->group = group;
		where->set |= E2S_WHERE_GROUP;
	}
	return err;
}

errcode_t e2s_where_ino(struct e2s_where *where, errcode_t err, uint32_t ino)
{
	if (where) {
		where->ino = ino;
		where->set |= E2S_WHERE_INO;
	}
	return err;
}

errcode_t e2s_where_blk(struct e2s_where *where, errcode_t err, uint64_t blk)
{
	if (where) {
		where->blk = blk;
		where->set |= E2S_WHERE_BLK;
	}
	return err;
}

errcode_t e2s_where_line(struct e2s_where *where, errcode_t err, uint64_t line)
{
	if (where) {
		where->line = line;
		where->set |= E2S_WHERE_LINE;
	}
	return err;
}

errcode_t e2s_where_detail(struct e2s_where *where, errcode_t err,
			   const char *fmt, ...)
{
	va_list ap;

	if (where) {
		va_start(ap, fmt);
		vsnprintf(where->detail, sizeof(where->detail), fmt, ap);
		va_end(ap);
	}
	return err;
}

void e2s_where_print(const struct e2s_where *where, FILE *stream)
{
	const char *sep = "";

	if (!where->set) {
		if (where->detail[0])
			fprintf(stream, " %s", where->detail);
		return;
	}
	fputs(" (", stream);
	if (where->set & E2S_WHERE_LINE) {
		fprintf(stream, "line %llu", (unsigned long long)where->line);
		sep = ", ";
	}
	if (where->set & E2S_WHERE_GROUP) {
		fprintf(stream, "%sgroup %u", sep, where->group);
		sep = ", ";
	}
	if (where->set & E2S_WHERE_INO) {
		fprintf(stream, "%sinode %u", sep, where->ino);
		sep = ", ";
	}
	if (where->set & E2S_WHERE_BLK)
		fprintf(stream, "%sblock %llu", sep,
			(unsigned long long)where->blk);
	if (where->detail[0])
		fprintf(stream, ": %s", where->detail);
	fputc(')', stream);
}

int e2s_err_is_refusal(errcode_t err)
{
	return err > E2S_ET_REFUSED && err < E2S_ET_FAILED;
}
