/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carrying the plan out, with progress, signals, and the proof afterwards. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "e2spread/relayout.h"
#include "fs/rw.h"
#include "relayout/relayout.h"
#include "verify/verify.h"

/* Set by SIGINT and SIGTERM; a handler has no other way to say so. */
static volatile sig_atomic_t interrupted;

static void note_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

static void catch_signals(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = note_signal;
	action.sa_flags = SA_RESTART;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int stop(void *ctx)
{
	(void)ctx;
	return interrupted;
}

/* --- progress --- */

enum { PASS_CHECK = 1, PASS_MOVE, PASS_VERIFY };

#define BAR_WIDTH 40

static void draw_bar(int pass, uint64_t done, uint64_t total)
{
	static const char *const names[] = { [PASS_CHECK] = "checking",
					     [PASS_MOVE] = "moving",
					     [PASS_VERIFY] = "verifying" };
	unsigned filled = total ? (unsigned)(done * BAR_WIDTH / total) : 0;
	unsigned i;

	printf("\r%-10s|", names[pass]);
	for (i = 0; i < BAR_WIDTH; i++)
		putchar(i < filled ? '=' : ' ');
	printf("| %3u%%", total ? (unsigned)(done * 100 / total) : 0);
	if (done == total)
		putchar('\n');
	fflush(stdout);
}

/* As e2fsck -C: "pass done total device" on a line. */
static void show_progress(const struct relayout *r, int pass, uint64_t done,
			  uint64_t total)
{
	const struct relayout_options *o = r->options;

	if (o->progress_fd < 0)
		return;
	if (!o->progress_fd) {
		draw_bar(pass, done, total);
		return;
	}
	dprintf(o->progress_fd, "%d %" PRIu64 " %" PRIu64 " %s\n", pass, done,
		total, o->device);
}

static void progress(void *ctx, uint64_t done, uint64_t total)
{
	show_progress(ctx, PASS_MOVE, done, total);
}

/* --- before and after --- */

static uint32_t new_of(void *ctx, uint32_t old)
{
	return e2s_plan_new_ino(ctx, old);
}

/* Nothing that verify finds wrong now may be made worse. */
static errcode_t check_before(struct relayout *r, struct e2s_verify *before,
			      struct e2s_where *where)
{
	struct e2s_verify_options options = {
		.threads = r->options->threads,
		.new_of = new_of, .ctx = r->after.plan,
	};
	errcode_t err;

	show_progress(r, PASS_CHECK, 0, 1);
	err = e2s_verify_read(r->fs, &options, before, where);
	if (!err && e2s_verify_check(before, where))
		err = E2S_ET_DAMAGED;
	if (!err)
		show_progress(r, PASS_CHECK, 1, 1);
	return err;
}

/* Reads the device back through a new handle. */
static errcode_t read_back(const struct relayout_options *o,
			   struct e2s_verify *after, struct e2s_where *where)
{
	struct e2s_verify_options options = { .threads = o->threads };
	struct e2s_fs *fs;
	errcode_t err;

	err = e2s_fs_open(o->device, 0, &fs, where);
	if (err)
		return err;
	err = e2s_verify_read(fs, &options, after, where);
	e2s_fs_close(fs);
	return err;
}

/* A run that was stopped has inodes at their old numbers; all else counts. */
static errcode_t check_after(struct relayout *r, const struct e2s_verify *before,
			     int stopped, struct e2s_where *where)
{
	struct e2s_verify after;
	errcode_t err;

	show_progress(r, PASS_VERIFY, 0, 1);
	err = read_back(r->options, &after, where);
	if (!err)
		err = e2s_verify_compare(before, &after, where);
	if (err == E2S_ET_VERIFY_PLACES && stopped)
		err = 0;
	if (!err)
		show_progress(r, PASS_VERIFY, 1, 1);
	return err;
}

/* --- the run --- */

static errcode_t move(struct relayout *r, struct e2s_relayout_result *result,
		      enum e2s_redo_state *state, struct e2s_where *where)
{
	const struct e2s_relayout_options options = {
		.threads = r->options->threads,
		.progress = progress, .stop = stop, .ctx = r,
	};
	struct e2s_redo *redo = NULL;
	struct e2s_where at_close = { 0 };
	errcode_t err, close_err;

	*state = E2S_REDO_CLEAN;
	err = r->options->redo_file
		      ? e2s_redo_open_file(r->fs, r->options->redo_file, &redo,
					   where)
		      : e2s_redo_open_journal(r->fs, &redo, where);
	if (err)
		return err;
	err = e2s_relayout_run(r->fs, r->after.plan, r->scan, redo, &options,
			       result, where);
	close_err = e2s_redo_close(redo, state, &at_close);
	if (!err && close_err) {
		*where = at_close;
		err = close_err;
	}
	return err;
}

/* What the user must know besides the error itself. */
static void say_state(const struct relayout *r, enum e2s_redo_state state,
		      const struct e2s_relayout_result *result)
{
	const struct relayout_options *o = r->options;

	if (state == E2S_REDO_CLEAN)
		warn_line("%s: %llu inodes moved, the file system is "
			  "consistent", o->device,
			  (unsigned long long)result->moves);
	else if (o->redo_file)
		warn_line("%s: interrupted in the middle of a batch; run "
			  "'e2spread relayout --resume %s %s' to finish it",
			  o->device, o->redo_file, o->device);
	else
		warn_line("%s: interrupted in the middle of a batch; run "
			  "'e2fsck -p %s' to finish it", o->device, o->device);
}

static void say_undo(const struct relayout *r, const char *undo)
{
	if (undo && !r->options->quiet)
		printf("To undo: e2undo %s %s\n", undo, r->options->device);
}

/* Nothing is known of the result then, good or bad. */
static int is_unread(errcode_t err)
{
	return err == EXT2_ET_SHORT_READ || err < 256;	/* one of errno(3) */
}

static void warn_result(const struct relayout *r, errcode_t err)
{
	const char *device = r->options->device;
	const char *advice = r->options->undo_file
				     ? "give the old state back with e2undo"
				     : "run 'e2fsck -fn' and keep its output";

	if (is_unread(err))
		warn_line("%s: written, but not verified: it cannot be read "
			  "back; %s", device, advice);
	else
		warn_line("%s: THE RESULT IS NOT AS IT SHOULD BE; do not mount "
			  "it, %s", device, advice);
}

static int finish(struct relayout *r, const struct e2s_verify *before,
		  const struct e2s_relayout_result *result, uint64_t planned)
{
	const struct relayout_options *o = r->options;
	struct e2s_where where = { 0 };
	errcode_t err;

	err = check_after(r, before, result->stopped, &where);
	if (err) {
		warn_result(r, err);
		failure(o->device, err, &where);
		return EXIT_FAILED;
	}
	if (result->stopped) {
		warn_line("%s: stopped after %" PRIu64 " of %" PRIu64 " inodes; "
			  "verified: the file system is consistent", o->device,
			  result->moves, planned);
		return EXIT_INTERRUPTED;
	}
	if (!o->quiet)
		printf("%" PRIu64 " inodes moved in %" PRIu64 " batch%s, %"
		       PRIu64 " blocks written; verified: every inode is where "
		       "the plan puts it, and all else is as before.\n",
		       result->moves, result->batches,
		       result->batches == 1 ? "" : "es", result->blocks);
	return EXIT_DONE;
}

int carry_out(struct relayout *r)
{
	const struct relayout_options *o = r->options;
	uint64_t planned = e2s_plan_moves(r->after.plan);
	struct e2s_relayout_result result = { 0 };
	struct e2s_where where = { 0 };
	enum e2s_redo_state state;
	struct e2s_verify before;
	char *undo = NULL;
	errcode_t err;
	int status;

	if (!e2s_plan_moves_dirs(r->after.plan))
		e2s_scan_drop_slots(r->scan);
	give_back_memory();
	err = check_before(r, &before, &where);
	if (!err && e2s_fs_undo_path(r->fs)) {
		undo = strdup(e2s_fs_undo_path(r->fs));
		err = undo ? 0 : ENOMEM;
	}
	if (err)
		return failure(o->device, err, &where);
	catch_signals();
	err = move(r, &result, &state, &where);
	if (err) {
		status = failure(o->device, err, &where);
		say_state(r, state, &result);
		goto out;
	}
	err = close_device(r);
	status = err ? failure(o->device, err, &where)
		     : finish(r, &before, &result, planned);
	say_undo(r, undo);
out:
	free(undo);
	return status;
}

int resume(const struct relayout_options *o)
{
	struct e2s_where where = { 0 };
	struct e2s_verify after;
	uint64_t blocks;
	errcode_t err;

	err = e2s_redo_resume(o->device, o->resume_file, &blocks, &where);
	if (!err)
		err = read_back(o, &after, &where);
	if (!err)
		err = e2s_verify_check(&after, &where);
	if (err)
		return failure(o->device, err, &where);
	if (!o->quiet)
		printf("%s: %" PRIu64 " blocks written; verified: the file "
		       "system is consistent.  Run relayout again to go on.\n",
		       o->device, blocks);
	return EXIT_DONE;
}
