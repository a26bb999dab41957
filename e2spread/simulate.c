/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e2spread simulate: a workload under several policies, side by side. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <e2p/e2p.h>

#include "config.h"
#include "e2spread/report.h"
#include "e2spread/simulate.h"

#define SCHEMA 1

struct simulate {
	struct simulate_options *options;
	const char *at_fault;		/* the file that an error is about */
	struct e2s_fs *fs;
	struct e2s_scan *scan;
	struct e2s_sim_trace *trace;
	struct filesystem_row filesystem;
	struct policy_row rows[POLICIES_MAX];
};

/* --- output --- */

static struct json_object *json_simulation(const struct simulate *s)
{
	const struct simulate_options *o = s->options;
	struct json_object *sim = json_object_new_object();
	struct json_object *array = json_object_new_array(), *row;
	const char *pattern = s->trace ? "trace" :
			      e2s_sim_pattern_name(o->sim.pattern);
	char rho[32];
	unsigned i;

	json_object_object_add(sim, "tasks", json_object_new_uint64(
		s->trace ? s->trace->tasks : o->sim.tasks));
	json_object_object_add(sim, "files", json_object_new_uint64(
		s->trace ? 0 : o->sim.files));
	json_object_object_add(sim, "pattern", json_object_new_string(pattern));
	json_object_object_add(sim, "order_seed",
			       json_object_new_uint64(o->sim.order_seed));
	json_object_object_add(sim, "readahead_blks",
			       json_object_new_uint64(o->sim.readahead_blks));
	json_object_object_add(sim, "read_avoidance",
			       json_object_new_boolean(
				       !o->sim.no_read_avoidance));
	snprintf(rho, sizeof(rho), "%.6g", o->sim.rho);
	json_object_object_add(sim, "rho",
			       json_object_new_double_s(o->sim.rho, rho));
	for (i = 0; i < o->policies_n; i++) {
		row = table_json_row(&simulate_table, &s->rows[i]);
		json_object_object_add(row, "chosen",
				       table_json_row(&chosen_table,
						      &s->rows[i]));
		json_object_array_add(array, row);
	}
	json_object_object_add(sim, "policies", array);
	return sim;
}

static void print_json(const struct simulate *s)
{
	struct json_object *top = json_object_new_object();
	struct json_object *head = json_object_new_object();

	json_object_object_add(head, "version",
			       json_object_new_string(PACKAGE_VERSION));
	json_object_object_add(head, "schema", json_object_new_int(SCHEMA));
	json_object_object_add(head, "command",
			       json_object_new_string("simulate"));
	json_object_object_add(top, "e2spread", head);
	json_object_object_add(top, "filesystem",
			       table_json_row(&filesystem_table,
					      &s->filesystem));
	json_object_object_add(top, "simulation", json_simulation(s));
	puts(json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
						 JSON_C_TO_STRING_SPACED |
						 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
}

static void print_workload(const struct simulate *s)
{
	const struct simulate_options *o = s->options;

	print_bytes(stdout, s->fs->device);
	printf(": ");
	if (s->trace) {
		printf("%zu operations of ", s->trace->ops_n);
		print_bytes(stdout, o->trace_file);
	} else {
		printf("%u task%s with %u file%s each, %s, in ", o->sim.tasks,
		       o->sim.tasks == 1 ? "" : "s", o->sim.files,
		       o->sim.files == 1 ? "" : "s",
		       e2s_sim_pattern_name(o->sim.pattern));
		if (o->parent)
			print_bytes(stdout, o->parent);
		else
			printf("a new directory");
	}
	putchar('\n');
}

static void print_text(const struct simulate *s)
{
	const unsigned n = s->options->policies_n;
	const size_t stride = sizeof(s->rows[0]);

	print_workload(s);
	puts("\nWhere the files' inodes lie:");
	table_print_rows(stdout, &simulate_places, s->rows, n, stride);
	puts("\nWhat it costs: itable blocks read while creating; blocks and "
	     "windows of one\ndirectory, windows of all, read cold; groups and "
	     "blocks more for e2fsck:");
	table_print_rows(stdout, &simulate_costs, s->rows, n, stride);
	puts("\nWhy a file's group was chosen:");
	table_print_rows(stdout, &simulate_whys, s->rows, n, stride);
}

/* --- the command --- */

static errcode_t read_trace(struct simulate *s, struct e2s_where *where)
{
	FILE *stream = fopen(s->options->trace_file, "re");
	errcode_t err;

	s->at_fault = s->options->trace_file;
	if (!stream)
		return errno;
	err = e2s_sim_trace_read(stream, &s->trace, where);
	fclose(stream);
	if (!err)
		s->at_fault = s->options->device;
	return err;
}

static void fill_filesystem(struct simulate *s)
{
	struct ext2_super_block *super = s->fs->ext2->super;
	struct filesystem_row *row = &s->filesystem;

	row->fs = s->fs;
	row->inodes_used = super->s_inodes_count - super->s_free_inodes_count;
	memcpy(row->label, super->s_volume_name, EXT2_LABEL_LEN);
	strncpy(row->uuid, e2p_uuid2str(super->s_uuid), sizeof(row->uuid) - 1);
}

static errcode_t gather(struct simulate *s, struct e2s_where *where)
{
	struct simulate_options *o = s->options;
	struct e2s_scan_options scan_options = {
		.threads = (unsigned)o->threads,
	};
	errcode_t err;
	unsigned i;

	err = e2s_fs_open(o->device, o->open_flags, &s->fs, where);
	if (err)
		return err;
	warn_doubts(s->fs);
	err = e2s_scan_run(s->fs, &scan_options, &s->scan, where);
	if (err)
		return err;
	warn_problems(s->scan, o->verbose);
	fill_filesystem(s);
	if (o->parent)
		err = e2s_sim_find_dir(s->scan, o->parent, &o->sim.parent,
				       where);
	if (!err && o->trace_file)
		err = read_trace(s, where);
	o->sim.trace = s->trace;
	for (i = 0; !err && i < o->policies_n; i++) {
		s->rows[i].policy = o->sim.policy = o->policies[i];
		err = e2s_sim_run(s->scan, &o->sim, &s->rows[i].result, where);
	}
	return err;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct simulate_options options;
	struct simulate s = { .options = &options };
	struct e2s_where where = { 0 };
	errcode_t err;
	int status;

	status = parse_simulate_options(command, argc, argv, &options);
	if (status >= 0)
		return status;
	s.at_fault = options.device;
	err = gather(&s, &where);
	if (err) {
		if (where.set & E2S_WHERE_LINE)
			s.at_fault = options.trace_file;
		status = failure(s.at_fault, err, &where);
	} else {
		status = EXIT_DONE;
		if (options.json)
			print_json(&s);
		else
			print_text(&s);
		if (fflush(stdout) || ferror(stdout))
			status = failure("standard output", EIO, &where);
	}
	e2s_sim_trace_free(s.trace);
	e2s_scan_free(s.scan);
	e2s_fs_close(s.fs);
	return status;
}

const struct command command_simulate = {
	.name = "simulate",
	.summary = "show what a workload would do under several policies",
	.usage =
"[options] DEVICE\n"
"\n"
"Lets tasks create files in sibling directories, starting from the file\n"
"system as it is, and shows the policies side by side.  Writes nothing.\n"
"\n"
"      --tasks N            tasks, each with a directory of its own (16)\n"
"      --files N            files that each makes (1000)\n"
"      --policy A,B,...     packed, spread, balanced, oldalloc; also noflex\n"
"      --pattern P          create (each at its own pace), round-robin (in\n"
"                           turns), refill (half deleted, then made anew),\n"
"                           tree, or mixed (with deletions)\n"
"      --parent PATH        make the directories there, not in a new one\n"
"      --order-seed N       another order of the tasks, at random (0)\n"
"      --trace FILE         replay operations instead, one a line:\n"
"                           [@TASK] mkdir|create|unlink PATH, or\n"
"                           [@TASK] rename|link OLD NEW\n"
"      --readahead-blks N   itable blocks read at once, 0: one (32)\n"
"      --no-read-avoidance  read a block even when no inode of it is in use\n"
"      --rho R              part of a create in which others can interfere\n"
"                           (0.131; in turns and in traces 0.139)\n"
"      --json               print JSON (schema 1)\n"
"      --threads N          threads to scan with (one a CPU)\n"
"  -f, --force              read although the device is in use\n"
"  -v, --verbose            name each problem that the scan met\n"
"  -h, --help               print this\n",
	.run = run,
};
