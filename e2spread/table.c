/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "e2spread/table.h"

struct cell cell_integer(uint64_t n)
{
	return (struct cell){ .n = n };
}

struct cell cell_ratio(uint64_t part, uint64_t whole)
{
	/* Counts of inodes, below 2^40: no overflow. */
	return cell_integer(whole ? (part * 100 + whole / 2) / whole : 0);
}

struct cell cell_percent(uint64_t part, uint64_t whole)
{
	return cell_ratio(part * 100, whole);
}

struct cell cell_text(const char *text)
{
	return (struct cell){ .text = text };
}

/* A number as it is printed; returns its length. */
static int format_number(char *buf, size_t size, enum cell_kind kind,
			 struct cell cell)
{
	if (kind == CELL_HUNDREDTHS)
		return snprintf(buf, size, "%" PRIu64 ".%02u", cell.n / 100,
				(unsigned)(cell.n % 100));
	return snprintf(buf, size, "%" PRIu64, cell.n);
}

static struct json_object *json_cell(enum cell_kind kind, struct cell cell)
{
	char buf[32];

	switch (kind) {
	case CELL_TEXT:
		return json_bytes(cell.text);
	case CELL_HUNDREDTHS:
		format_number(buf, sizeof(buf), kind, cell);
		return json_object_new_double_s((double)cell.n / 100, buf);
	case CELL_INTEGER:
		break;
	}
	return json_object_new_uint64(cell.n);
}

struct json_object *table_json_row(const struct table *table, const void *row)
{
	const struct column *columns = table->columns;
	struct json_object *object = json_object_new_object();
	size_t i;

	for (i = 0; i < table->n; i++)
		if (columns[i].key)
			json_object_object_add(object, columns[i].key,
				json_cell(columns[i].kind,
					  columns[i].get(row)));
	return object;
}

struct json_object *table_json_rows(const struct table *table, const void *rows,
				    size_t rows_n, size_t stride)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < rows_n; i++)
		json_object_array_add(array, table_json_row(table,
					(const char *)rows + i * stride));
	return array;
}

static int column_width(const struct column *column, const void *rows,
			size_t rows_n, size_t stride)
{
	int width = (int)strlen(column->words), len;
	char buf[32];
	size_t i;

	for (i = 0; i < rows_n; i++) {
		len = format_number(buf, sizeof(buf), column->kind,
				    column->get((const char *)rows +
						i * stride));
		if (len > width)
			width = len;
	}
	return width;
}

/* Prints one column's cell, or its heading for ROW NULL. */
static void print_cell(FILE *stream, const struct column *column, int width,
		       const void *row)
{
	char buf[32];

	if (column->kind == CELL_TEXT) {
		fputs("  ", stream);
		if (row)
			print_bytes(stream, column->get(row).text);
		else
			fputs(column->words, stream);
		return;
	}
	if (row)
		format_number(buf, sizeof(buf), column->kind, column->get(row));
	fprintf(stream, "  %*s", width, row ? buf : column->words);
}

#define COLUMNS_MAX 32

void table_print_rows(FILE *stream, const struct table *table, const void *rows,
		      size_t rows_n, size_t stride)
{
	const struct column *columns = table->columns;
	int width[COLUMNS_MAX] = { 0 };
	size_t i, r;

	for (i = 0; i < table->n; i++)
		if (columns[i].words && columns[i].kind != CELL_TEXT)
			width[i] = column_width(&columns[i], rows, rows_n,
						stride);
	for (r = 0; r <= rows_n; r++) {
		for (i = 0; i < table->n; i++)
			if (columns[i].words)
				print_cell(stream, &columns[i], width[i],
					   r ? (const char *)rows +
						(r - 1) * stride : NULL);
		fputc('\n', stream);
	}
}

static int words_width(const struct table *table)
{
	int width = 0, len;
	size_t i;

	for (i = 0; i < table->n; i++) {
		len = table->columns[i].words
			      ? (int)strlen(table->columns[i].words) : 0;
		if (len > width)
			width = len;
	}
	return width;
}

static void print_number(FILE *stream, const struct column *column,
			 const void *row)
{
	char buf[32];

	format_number(buf, sizeof(buf), column->kind, column->get(row));
	fprintf(stream, "  %12s", buf);
}

void table_print_row(FILE *stream, const struct table *table, const void *row)
{
	int width = words_width(table);
	size_t i;

	for (i = 0; i < table->n; i++) {
		if (!table->columns[i].words)
			continue;
		fprintf(stream, "  %-*s", width, table->columns[i].words);
		print_number(stream, &table->columns[i], row);
		fputc('\n', stream);
	}
}

void table_print_pair(FILE *stream, const struct table *table, const char *a,
		      const void *row_a, const char *b, const void *row_b)
{
	int width = words_width(table);
	size_t i;

	fprintf(stream, "  %-*s  %12s  %12s\n", width, "", a, b);
	for (i = 0; i < table->n; i++) {
		if (!table->columns[i].words)
			continue;
		fprintf(stream, "  %-*s", width, table->columns[i].words);
		print_number(stream, &table->columns[i], row_a);
		print_number(stream, &table->columns[i], row_b);
		fputc('\n', stream);
	}
}
