/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check: --check 'KEY OP NUMBER', held against one row of a table. */
#ifndef E2SPREAD_CHECK_H
#define E2SPREAD_CHECK_H

#include "e2spread/table.h"

struct check {
	const struct column *column;
	const char *text;		/* as the user wrote it */
	int op;				/* index of check_ops */
	double number;
};

/*
 * Parses TEXT over the keys of TABLE.  Returns NULL and fills RET, or the
 * words that say what is wrong.
 */
const char *check_parse(const char *text, const struct table *table,
			struct check *ret);

/* True when it holds for ROW; *VALUE is what the key is there. */
int check_holds(const struct check *check, const void *row, double *value);

#endif
