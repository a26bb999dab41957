/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "e2spread/check.h"

/* Two letters before one, so that the longer is found first. */
static const char *const check_ops[] = { "<=", ">=", "==", "!=", "<", ">",
					 "=" };
#define OPS (sizeof(check_ops) / sizeof(check_ops[0]))

static const struct column *find_key(const char *text, size_t len,
				     const struct table *table)
{
	const struct column *columns = table->columns;
	size_t i;

	for (i = 0; i < table->n; i++)
		if (columns[i].key && strlen(columns[i].key) == len &&
		    !strncmp(columns[i].key, text, len))
			return &columns[i];
	return NULL;
}

const char *check_parse(const char *text, const struct table *table,
			struct check *ret)
{
	const char *at = text + strspn(text, " ");
	size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
	char *end;
	size_t op;

	ret->text = text;
	ret->column = find_key(at, len, table);
	if (!ret->column)
		return "unknown key";
	at += len;
	at += strspn(at, " ");
	for (op = 0; op < OPS; op++)
		if (!strncmp(at, check_ops[op], strlen(check_ops[op])))
			break;
	if (op == OPS)
		return "wants KEY OP NUMBER with OP one of < <= > >= == !=";
	ret->op = (int)op;
	at += strlen(check_ops[op]);
	errno = 0;
	ret->number = strtod(at, &end);
	if (end == at || errno || !isfinite(ret->number) ||
	    end[strspn(end, " %")])
		return "wants a number behind the operator";
	return NULL;
}

int check_holds(const struct check *check, const void *row, double *value)
{
	const struct column *column = check->column;

	*value = (double)column->get(row).n;
	if (column->kind == CELL_HUNDREDTHS)
		*value /= 100;
	switch (check->op) {
	case 0:
		return *value <= check->number;
	case 1:
		return *value >= check->number;
	case 3:
		return *value != check->number;
	case 4:
		return *value < check->number;
	case 5:
		return *value > check->number;
	}
	return *value == check->number;
}
