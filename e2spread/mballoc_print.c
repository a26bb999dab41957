/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mballoc's output: as the kernel words it where it does, else from tables. */
#include <stdio.h>
#include <string.h>

#include <printbuf.h>

#include "config.h"
#include "e2spread/mballoc.h"

#define SCHEMA 1

/* --- text --- */

static void print_header(void)
{
	fputs("#group: free  frags first [ 2^0   2^1   2^2   2^3   2^4   2^5   "
	      "2^6   2^7   2^8   2^9   2^10  2^11  2^12  2^13  ]\n", stdout);
}

/* As ext4_mb_seq_groups_show(): 14 orders, whatever the block size. */
static void print_group(const struct mballoc_view *v, uint32_t group)
{
	const struct e2s_mballoc_group *info = e2s_mballoc_group(v->mb, group);
	const uint32_t *counters = e2s_mballoc_counters(v->mb, group);
	unsigned orders = e2s_mballoc_orders(v->mb), i;

	printf("#%-5u: ", group);
	if (info->health == E2S_MBALLOC_BAD_CSUM) {
		puts("Filesystem failed CRC");
		return;
	}
	if (info->health == E2S_MBALLOC_BAD_BITMAP) {
		puts("Corrupt filesystem");
		return;
	}
	printf("%-5u %-5u %-5u [", info->free, info->fragments,
	       info->first_free);
	for (i = 0; i <= 13; i++)
		printf(" %-5u", i < orders ? counters[i] : 0);
	printf(" ]%s\n", info->health == E2S_MBALLOC_BAD_COUNT ?
	       " Block bitmap corrupted!" : "");
}

static void print_lists(const struct mballoc_view *v, const uint32_t *lengths)
{
	unsigned i;

	for (i = 0; i < e2s_mballoc_orders(v->mb); i++)
		printf("\tlist_order_%u_groups: %u\n", i, lengths[i]);
}

/* As ext4_mb_seq_structs_summary_show(). */
static void print_summary(const struct mballoc_view *v)
{
	printf("optimize_scan: %d\nmax_free_order_lists:\n",
	       v->filesystem.optimize_scan);
	print_lists(v, v->largest);
	puts("avg_fragment_size_lists:");
	print_lists(v, v->fragment);
}

static void print_groups(const struct mballoc_view *v)
{
	const char *proc = v->options->proc;
	uint32_t group;

	if (!proc || strcmp(proc, MBALLOC_SUMMARY)) {
		print_header();
		for (group = 0; group < v->fs->geo.groups; group++)
			if (v->options->group < 0 || v->options->group == group)
				print_group(v, group);
	}
	if (proc ? !strcmp(proc, MBALLOC_SUMMARY) : v->options->group < 0)
		print_summary(v);
}

/* The rows of one search's criteria. */
static void criteria_of(const struct e2s_mballoc_cost *cost,
			struct criterion_row rows[EXT4_MB_NUM_CRS])
{
	unsigned i;

	for (i = 0; i < EXT4_MB_NUM_CRS; i++)
		rows[i] = (struct criterion_row){ cost, i };
}

static void print_search(const struct search_row *row)
{
	struct criterion_row criteria[EXT4_MB_NUM_CRS];

	printf("%s\n", row->name);
	criteria_of(&row->cost, criteria);
	table_print_rows(stdout, &criterion_table, criteria, EXT4_MB_NUM_CRS,
			 sizeof(criteria[0]));
	table_print_row(stdout, &search_table, row);
	table_print_rows(stdout, &extent_table, row->extents.v, row->extents.n,
			 sizeof(row->extents.v[0]));
}

void mballoc_print_text(const struct mballoc_view *v)
{
	const struct mballoc_options *o = v->options;

	if (o->proc || o->group >= 0 || (!o->request && !o->inodes.n))
		print_groups(v);
	if (o->request && !o->tasks) {
		printf("%llu blocks from group %llu\n",
		       (unsigned long long)o->request,
		       (unsigned long long)o->goal);
		print_search(&v->searches[0]);
		print_search(&v->searches[1]);
	}
	if (o->tasks) {
		printf("%llu tasks, %llu requests of %llu blocks each, "
		       "%u stream goals\n", (unsigned long long)o->tasks,
		       (unsigned long long)o->count,
		       (unsigned long long)o->request, v->slots_n);
		table_print_rows(stdout, &tasks_table, v->tasks, 3,
				 sizeof(v->tasks[0]));
	}
	if (o->inodes.n)
		table_print_rows(stdout, &slot_table, v->slots, v->slots_n,
				 sizeof(v->slots[0]));
}

/* --- JSON --- */

static void add_number(struct json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_uint64(value));
}

static struct json_object *json_numbers(const uint32_t *v, size_t n)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_object_array_add(array, json_object_new_uint64(v[i]));
	return array;
}

static struct json_object *json_group(const struct mballoc_view *v,
				      uint32_t group)
{
	struct group_row row = { group, e2s_mballoc_group(v->mb, group) };
	struct json_object *object = table_json_row(&group_table, &row);

	json_object_object_add(object, "counters",
		json_numbers(e2s_mballoc_counters(v->mb, group),
			     e2s_mballoc_orders(v->mb)));
	return object;
}

/* A group a line, made when it is printed: there may be millions. */
static int write_groups(struct json_object *object, struct printbuf *out,
			int level, int flags)
{
	const struct mballoc_view *v = json_object_get_userdata(object);
	const char *before = "[\n", *text;
	struct json_object *one;
	uint32_t group;

	(void)level;
	flags &= ~JSON_C_TO_STRING_PRETTY;
	for (group = 0; group < v->fs->geo.groups; group++) {
		if (v->options->group >= 0 && v->options->group != group)
			continue;
		one = json_group(v, group);
		text = json_object_to_json_string_ext(one, flags);
		sprintbuf(out, "%s    ", before);
		printbuf_memappend(out, text, (int)strlen(text));
		json_object_put(one);
		before = ",\n";
	}
	return printbuf_memappend(out, "\n  ]", 4);
}

static struct json_object *json_groups(const struct mballoc_view *v)
{
	struct json_object *array = json_object_new_array();

	json_object_set_serializer(array, write_groups, (void *)v, NULL);
	return array;
}

static struct json_object *json_criteria(const struct e2s_mballoc_cost *cost)
{
	struct criterion_row rows[EXT4_MB_NUM_CRS];

	criteria_of(cost, rows);
	return table_json_rows(&criterion_table, rows, EXT4_MB_NUM_CRS,
			       sizeof(rows[0]));
}

static struct json_object *json_request(const struct mballoc_view *v)
{
	struct json_object *object = json_object_new_object(), *one;
	struct json_object *searches = json_object_new_array();
	const struct search_row *row;

	add_number(object, "blocks", v->options->request);
	add_number(object, "clusters", v->request_clusters);
	add_number(object, "goal", v->options->goal);
	add_number(object, "linear_limit", v->options->linear_limit);
	for (row = v->searches; row < v->searches + 2; row++) {
		one = table_json_row(&search_table, row);
		json_object_object_add(one, "criteria",
				       json_criteria(&row->cost));
		json_object_object_add(one, "extents",
			table_json_rows(&extent_table, row->extents.v,
					row->extents.n,
					sizeof(row->extents.v[0])));
		json_object_array_add(searches, one);
	}
	json_object_object_add(object, "searches", searches);
	return object;
}

static struct json_object *json_tasks(const struct mballoc_view *v)
{
	const struct mballoc_options *o = v->options;
	struct json_object *object = json_object_new_object(), *one;
	struct json_object *searches = json_object_new_array();
	const struct tasks_row *row;

	add_number(object, "tasks", o->tasks);
	add_number(object, "count", o->count);
	add_number(object, "blocks", o->request);
	add_number(object, "stream_goals", v->slots_n);
	for (row = v->tasks; row < v->tasks + 3; row++) {
		one = table_json_row(&tasks_table, row);
		json_object_object_add(one, "criteria",
				       json_criteria(&row->meeting.cost));
		json_object_array_add(searches, one);
	}
	json_object_object_add(object, "searches", searches);
	return object;
}

void mballoc_print_json(const struct mballoc_view *v)
{
	const struct mballoc_options *o = v->options;
	struct json_object *root = json_object_new_object();
	struct json_object *head = json_object_new_object();
	unsigned orders = e2s_mballoc_orders(v->mb);

	json_object_object_add(head, "version",
			       json_object_new_string(PACKAGE_VERSION));
	add_number(head, "schema", SCHEMA);
	json_object_object_add(head, "command",
			       json_object_new_string("mballoc"));
	json_object_object_add(root, "e2spread", head);
	json_object_object_add(root, "filesystem",
		table_json_row(&mballoc_fs_table, &v->filesystem));
	json_object_object_add(root, "groups", json_groups(v));
	json_object_object_add(root, "largest_free_order",
			       json_numbers(v->largest, orders));
	json_object_object_add(root, "avg_fragment_size",
			       json_numbers(v->fragment, orders));
	if (o->request && !o->tasks)
		json_object_object_add(root, "request", json_request(v));
	if (o->tasks)
		json_object_object_add(root, "tasks", json_tasks(v));
	if (o->inodes.n)
		json_object_object_add(root, "stream_goals",
			table_json_rows(&slot_table, v->slots, v->slots_n,
					sizeof(v->slots[0])));
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_SPACED |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}
