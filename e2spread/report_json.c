/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --json, schema 1. */
#include <stdio.h>

#include <e2p/e2p.h>

#include "config.h"
#include "e2spread/report.h"

#define SCHEMA 1

static struct json_object *json_features(const struct e2s_fs *fs)
{
	const struct ext2_super_block *super = fs->ext2->super;
	struct json_object *array = json_object_new_array();
	const uint32_t words[3] = { super->s_feature_compat,
				    super->s_feature_incompat,
				    super->s_feature_ro_compat };
	static const int types[3] = { E2P_FEATURE_COMPAT, E2P_FEATURE_INCOMPAT,
				      E2P_FEATURE_RO_INCOMPAT };
	unsigned bit;
	int i;

	for (i = 0; i < 3; i++)
		for (bit = 0; bit < 32; bit++)
			if (words[i] & 1u << bit)
				json_object_array_add(array,
					json_object_new_string(
						e2p_feature2string(types[i],
								   1u << bit)));
	return array;
}

static struct json_object *json_problems(const struct e2s_scan *scan)
{
	struct json_object *array = json_object_new_array(), *row;
	int kind;

	for (kind = 0; kind < E2S_PROBLEM_KINDS; kind++) {
		if (!scan->problems_n[kind])
			continue;
		row = json_object_new_object();
		json_object_object_add(row, "problem", json_object_new_string(
			e2s_problem_words((enum e2s_problem_kind)kind)));
		json_object_object_add(row, "count", json_object_new_uint64(
			scan->problems_n[kind]));
		json_object_array_add(array, row);
	}
	return array;
}

static struct json_object *json_homes(const struct report *r)
{
	struct json_object *array = table_json_rows(&home_table, r->homes,
					r->homes_n, sizeof(*r->homes));
	struct json_object *histogram;
	size_t i;
	uint32_t k;

	for (i = 0; i < r->homes_n; i++) {
		histogram = json_object_new_array();
		for (k = 0; k < r->homes[i].groups; k++)
			json_object_array_add(histogram, json_object_new_uint64(
				r->homes[i].counts[k]));
		json_object_object_add(json_object_array_get_idx(array, i),
				       "histogram", histogram);
	}
	return array;
}

static struct json_object *json_creation_reads(const struct report *r)
{
	struct json_object *object = json_object_new_object();
	double now = e2s_measure_creation_reads(&r->measure, r->options->rho);

	json_object_object_add(object, "now",
			       json_object_new_uint64((uint64_t)(now + 0.5)));
	json_object_object_add(object, "after", !r->after_measure ? NULL :
		json_object_new_uint64((uint64_t)(0.5 +
			e2s_measure_creation_reads(r->after_measure,
						   r->options->rho))));
	return object;
}

static struct json_object *json_goals_of(const struct report *r,
					 const struct goals_row *row)
{
	struct json_object *object, *histogram = json_object_new_array();
	uint32_t i;

	if (!row->histogram) {
		json_object_put(histogram);
		return NULL;
	}
	object = table_json_row(&goals_table, row);
	for (i = 0; i < r->goals.slots; i++)
		json_object_array_add(histogram,
			json_object_new_uint64(row->histogram[i]));
	json_object_object_add(object, "histogram", histogram);
	return object;
}

static struct json_object *json_goals(const struct report *r)
{
	const struct report_goals *goals = &r->goals;
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "cpus",
			       json_object_new_uint64(r->options->cpus));
	json_object_object_add(object, "slots",
			       json_object_new_uint64(goals->slots));
	json_object_object_add(object, "ino", json_object_new_uint64(
		goals->files ? r->scan->dirs[goals->dir].ino : 0));
	json_object_object_add(object, "directories",
			       json_object_new_uint64(goals->dirs));
	json_object_object_add(object, "files",
			       json_object_new_uint64(goals->files));
	json_object_object_add(object, "now", json_goals_of(r, &goals->now));
	json_object_object_add(object, "after",
			       json_goals_of(r, &goals->after));
	return object;
}

void print_report_json(const struct report *r)
{
	struct totals_row after = { r->after_measure, r->options->rho };
	struct json_object *top = json_object_new_object();
	struct json_object *head = json_object_new_object();
	struct json_object *fs;

	json_object_object_add(head, "version",
			       json_object_new_string(PACKAGE_VERSION));
	json_object_object_add(head, "schema", json_object_new_int(SCHEMA));
	json_object_object_add(head, "command",
			       json_object_new_string("report"));
	json_object_object_add(top, "e2spread", head);
	fs = table_json_row(&filesystem_table, &r->filesystem);
	json_object_object_add(fs, "features", json_features(r->fs));
	json_object_object_add(top, "filesystem", fs);
	json_object_object_add(top, "problems", json_problems(r->scan));
	json_object_object_add(top, "flex_groups",
		table_json_rows(&flex_table, r->flex, r->flex_n,
				sizeof(*r->flex)));
	json_object_object_add(top, "directories",
		table_json_rows(&dir_table, r->dirs, r->dirs_n,
				sizeof(*r->dirs)));
	json_object_object_add(top, "home_groups", json_homes(r));
	json_object_object_add(top, "stream_goals", json_goals(r));
	json_object_object_add(top, "totals",
			       table_json_row(&totals_table, &r->totals));
	json_object_object_add(top, "after_relayout", !r->after_measure ? NULL :
			       table_json_row(&totals_table, &after));
	json_object_object_add(top, "creation_reads", json_creation_reads(r));
	puts(json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
						 JSON_C_TO_STRING_SPACED |
						 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
}
