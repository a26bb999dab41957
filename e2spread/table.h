/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table: columns from which text, JSON and --check come alike.  A table is an
 * array of const struct column; a row is whatever its getters understand.
 */
#ifndef E2SPREAD_TABLE_H
#define E2SPREAD_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include <json.h>

enum cell_kind {
	CELL_INTEGER,
	CELL_HUNDREDTHS,	/* cell.n / 100, with two decimals */
	CELL_TEXT,		/* cell.text, any bytes but NUL */
};

struct cell {
	uint64_t n;
	const char *text;
};

struct column {
	const char *key;	/* in JSON and --check, or NULL: text only */
	const char *words;	/* in text, or NULL: JSON only */
	enum cell_kind kind;
	struct cell (*get)(const void *row);
};

struct table {
	const struct column *columns;
	size_t n;
};

/* A cell that holds a number, or 100 * PART / WHOLE rounded (0 for WHOLE 0). */
struct cell cell_integer(uint64_t n);
struct cell cell_ratio(uint64_t part, uint64_t whole);
struct cell cell_percent(uint64_t part, uint64_t whole);
struct cell cell_text(const char *text);

/*
 * Writes a getter: VALUE is a cell over the row R, which is a struct TYPE.
 * INTEGER is the getter of a number, TABLE the table of an array of columns.
 */
#define GETTER(name, type, value)					\
	static struct cell name(const void *row)			\
	{								\
		const struct type *r = row;				\
									\
		return value;						\
	}

#define INTEGER(name, type, value) GETTER(name, type, cell_integer(value))

#define TABLE(name, columns)						\
	const struct table name = { columns,				\
		sizeof(columns) / sizeof((columns)[0]) }

/* An object of ROW's keys; ROWS of STRIDE bytes as an array of objects. */
struct json_object *table_json_row(const struct table *table, const void *row);
struct json_object *table_json_rows(const struct table *table, const void *rows,
				    size_t rows_n, size_t stride);

/* Rows side by side under headings; numbers right, text left and last. */
void table_print_rows(FILE *stream, const struct table *table, const void *rows,
		      size_t rows_n, size_t stride);

/* One row downwards: words and value on a line each. */
void table_print_row(FILE *stream, const struct table *table, const void *row);

/* Two rows downwards, side by side under the headings A and B. */
void table_print_pair(FILE *stream, const struct table *table, const char *a,
		      const void *row_a, const char *b, const void *row_b);

/*
 * A JSON string of any bytes: each byte that is no part of UTF-8 becomes the
 * lone surrogate U+DC80 to U+DCFF, from which it can be had back.
 */
struct json_object *json_bytes(const char *text);

/* TEXT for a terminal: control and broken bytes as \xNN. */
void print_bytes(FILE *stream, const char *text);

#endif
