/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e2spread relayout: plan, show it and its cost, ask, carry it out, verify. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "e2spread/relayout.h"
#include "fs/rw.h"

/* Whatever the user asked for by name is done whether it gains or not. */
static int must_gain(const struct relayout_options *o)
{
	return !o->force && !o->policy_named && !o->plan_file;
}

static errcode_t open_device(struct relayout *r, struct e2s_where *where)
{
	const struct relayout_options *o = r->options;
	unsigned flags = o->redo_file ? E2S_FS_RW_REDO_FILE : 0;
	struct e2s_fs_rw_options rw = { .flags = flags, .undo = o->undo_file };
	errcode_t err;

	if (!o->dry_run)
		return e2s_fs_open_rw(o->device, &rw, &r->fs, where);
	err = e2s_fs_open(o->device, 0, &r->fs, where);
	return err ? err : e2s_fs_refuse(r->fs, flags, where);
}

static errcode_t read_plan(struct relayout *r, struct e2s_where *where)
{
	const struct relayout_options *o = r->options;
	FILE *stream = fopen(o->plan_file, "re");
	errcode_t err;

	if (!stream)
		return e2s_where_detail(where, errno, "%s", o->plan_file);
	err = e2s_plan_read(r->scan, stream, o->plan.move_dirs,
			    &r->after.plan, where);
	fclose(stream);
	/* The reader knows no name; lines and inodes need none. */
	if (err && !where->set && !where->detail[0])
		e2s_where_detail(where, err, "%s", o->plan_file);
	return err;
}

/* Told to the user where it does what spread does not. */
static errcode_t predict_balanced(struct relayout *r, struct e2s_where *where)
{
	struct e2s_plan_options options = r->options->plan;

	options.policy = e2s_ialloc_policy_find("balanced");
	return predict(r->scan, &options, READAHEAD_DEFAULT, &r->balanced,
		       where);
}

/* Scans, plans and predicts: everything but writing. */
static errcode_t make_plan(struct relayout *r, struct e2s_where *where)
{
	const struct relayout_options *o = r->options;
	struct e2s_scan_options scan_options = {
		.threads = o->threads, .flags = E2S_PLAN_COST_FLAGS,
	};
	errcode_t err;

	err = e2s_scan_run(r->fs, &scan_options, &r->scan, where);
	if (err)
		return err;
	/* The plan refuses damage with one line of its own. */
	if (o->verbose)
		warn_problems(r->scan, 1);
	err = o->plan_file ? read_plan(r, where)
			   : e2s_plan_build(r->scan, &o->plan, &r->after.plan,
					    where);
	if (!err)
		err = e2s_measure_layout(r->scan, READAHEAD_DEFAULT, &r->now);
	if (!err)
		err = predict_outcome(&r->after, READAHEAD_DEFAULT);
	if (!err && must_gain(o) &&
	    !gain_of(&r->now, &r->after.measure, E2S_RHO).worth)
		err = predict_balanced(r, where);
	if (err)
		return err;
	e2s_scan_drop_times(r->scan);
	give_back_memory();
	return e2s_plan_cost(r->after.plan, &r->cost);
}

/* True when there is nothing to be done, which has been said then. */
static int nothing_to_do(struct relayout *r)
{
	const struct relayout_options *o = r->options;
	FILE *out = o->quiet ? NULL : stdout;
	const char *why = NULL;

	if (!e2s_plan_moves(r->after.plan))
		why = "every inode is where the plan wants it";
	else if (must_gain(o) && r->fs->geo.flex_size == 1)
		why = "without flex groups there is nothing to spread over";
	if (why) {
		if (out)
			fprintf(out, "Nothing to do: %s.\n", why);
		return 1;
	}
	if (!must_gain(o) ||
	    gain_of(&r->now, &r->after.measure, E2S_RHO).worth)
		return 0;
	if (out) {
		print_advice(out, r->fs, &r->now, &r->after.measure,
			     r->balanced.plan ? &r->balanced.measure : NULL,
			     E2S_RHO);
		fputs("Nothing is changed (-f goes on nevertheless).\n", out);
	}
	return 1;
}

static errcode_t write_text(void *ctx, const char *text, size_t len)
{
	return fwrite(text, 1, len, ctx) == len ? 0 : errno;
}

/* Writes a plan file or a map; a full disk is noticed before the device is
 * changed. */
static errcode_t save(const struct relayout *r, const char *name,
		      errcode_t (*text)(const struct e2s_plan *plan,
					e2s_plan_write_fn write, void *ctx),
		      struct e2s_where *where)
{
	FILE *stream;
	errcode_t err;

	if (!name)
		return 0;
	stream = fopen(name, "we");
	if (!stream)
		return e2s_where_detail(where, errno, "%s", name);
	err = text(r->after.plan, write_text, stream);
	if (fflush(stream) && !err)
		err = errno;
	if (!err && fsync(fileno(stream)) && errno != EINVAL && errno != EROFS)
		err = errno;
	if (fclose(stream) && !err)
		err = errno;
	return err ? e2s_where_detail(where, err, "%s", name) : 0;
}

static int ask(void)
{
	char answer[16];

	fputs("Proceed anyway? (y,N) ", stdout);
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}

void drop_plan(struct relayout *r)
{
	prediction_free(&r->after);
	prediction_free(&r->balanced);
	e2s_measure_free(&r->now);
	e2s_scan_free(r->scan);
	r->scan = NULL;
}

errcode_t close_device(struct relayout *r)
{
	struct e2s_fs *fs = r->fs;

	drop_plan(r);
	r->fs = NULL;
	return e2s_fs_close(fs);
}

/* From the plan to the question, and on. */
static int go(struct relayout *r)
{
	const struct relayout_options *o = r->options;
	struct e2s_where where = { 0 };
	errcode_t err;

	err = save(r, o->save_plan, e2s_plan_text, &where);
	if (!err)
		err = save(r, o->map_file, e2s_plan_map_text, &where);
	if (err)
		return failure(o->device, err, &where);
	if (!o->quiet)
		show_plan(r);
	if (o->dry_run)
		return EXIT_DONE;
	if (!o->yes && !ask()) {
		puts("Nothing is changed.");
		return EXIT_DONE;
	}
	return carry_out(r);
}

/* What report calls unreadable is refused when it is to be changed. */
static int open_failure(const struct relayout_options *o, errcode_t err,
			const struct e2s_where *where)
{
	int status = failure(o->device, err, where);

	switch (err) {
	case E2S_ET_SHORT_DEVICE:
	case E2S_ET_UNKNOWN_INCOMPAT:
	case E2S_ET_JOURNAL_DEVICE:
		return EXIT_REFUSED;
	}
	return status;
}

/*
 * What one phase frees the next one uses: giving it back to the system in
 * between costs a page fault for every page.  Only where malloc() is glibc's.
 */
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
#endif
}

static int run(const struct command *command, int argc, char **argv)
{
	struct relayout_options options;
	struct relayout r = { .options = &options };
	struct e2s_where where = { 0 };
	errcode_t err;
	int status;

	status = parse_relayout_options(command, argc, argv, &options);
	if (status >= 0)
		return status;
	if (options.resume_file)
		return resume(&options);
	keep_memory();
	err = open_device(&r, &where);
	if (err) {
		status = open_failure(&options, err, &where);
		goto out;
	}
	err = make_plan(&r, &where);
	if (err) {
		status = failure(options.device, err, &where);
		goto out;
	}
	if (nothing_to_do(&r)) {
		/* An empty plan is a plan: those who asked for one get it. */
		err = save(&r, options.save_plan, e2s_plan_text, &where);
		if (!err)
			err = save(&r, options.map_file, e2s_plan_map_text,
				   &where);
		if (!err)
			err = close_device(&r);
		status = err ? failure(options.device, err, &where) : EXIT_DONE;
		goto out;
	}
	status = go(&r);
out:
	close_device(&r);
	return status;
}

const struct command command_relayout = {
	.name = "relayout",
	.summary = "move inodes to the layout that the patched kernel makes",
	.usage =
"[options] DEVICE\n"
"       e2spread relayout --resume FILE DEVICE\n"
"\n"
"Gives the files of an unmounted file system the inode numbers that another\n"
"allocator would have given them.  Shows what it is about to do and asks.\n"
"\n"
"  -n                  show the plan, change nothing\n"
"  -y, -p              do not ask\n"
"  -f, --force         go on although nothing is gained\n"
"      --policy NAME   which group: spread (default), packed, balanced, noflex\n"
"      --order NAME    inside a group: creation (default), dir, hash\n"
"      --move-dirs     place directories anew, too\n"
"      --save-plan F   write the plan to file F\n"
"      --plan F        carry out the plan in file F\n"
"      --map F         write old and new number of every inode that moves to F\n"
"  -z FILE             write an undo file for e2undo ('' picks a name)\n"
"      --redo F        make it safe by file F where there is no journal\n"
"      --resume F      finish the interrupted run that left file F\n"
"      --threads N     threads to scan and verify with (one a CPU)\n"
"  -C FD               progress to file descriptor FD (0: a bar)\n"
"  -q, --quiet         say nothing but errors\n"
"  -v, --verbose       say more\n"
"  -h, --help          print this\n",
	.flags = COMMAND_WRITES,
	.run = run,
};
