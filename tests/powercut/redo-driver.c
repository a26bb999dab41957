/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a script of block copies through lib/redo, for the power-cut tests.
 *
 *   redo-driver [-u UNDO] [-r REDO] IMAGE [SCRIPT]
 *   redo-driver -R REDO IMAGE
 *
 * SCRIPT has one command a line:
 *
 *   begin             starts a batch
 *   copy TO FROM      block TO gets what block FROM holds now
 *   commit, abort     ends the batch
 *   room              prints how many blocks fit
 *   crash             ends the process at once
 *
 * Without SCRIPT the file system is opened to be changed and closed again.
 * -R finishes what the redo file REDO holds.  The last line printed is what is
 * left: "clean", "marked" or "committed".  Exit status as e2spread's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "redo/redo.h"

static const char *const states[] = { "clean", "marked", "committed" };

static int report(const char *name, errcode_t err,
		  const struct e2s_where *where)
{
	fprintf(stderr, "redo-driver: %s: %s", name, error_message(err));
	e2s_where_print(where, stderr);
	fputc('\n', stderr);
	return e2s_err_is_refusal(err) ? 4 : 8;
}

static errcode_t run_line(struct e2s_fs *fs, struct e2s_redo *redo,
			  const char *line, void *buf, struct e2s_where *where)
{
	unsigned long long to, from;
	errcode_t err;

	if (!strncmp(line, "begin", 5)) {
		return e2s_redo_begin(redo, where);
	} else if (sscanf(line, "copy %llu %llu", &to, &from) == 2) {
		err = e2s_fs_read(fs, from, 1, buf, where);
		return err ? err : e2s_redo_add(redo, to, buf, where);
	} else if (!strncmp(line, "commit", 6)) {
		return e2s_redo_commit(redo, where);
	} else if (!strncmp(line, "abort", 5)) {
		return e2s_redo_abort(redo, where);
	} else if (!strncmp(line, "room", 4)) {
		printf("%llu\n", (unsigned long long)e2s_redo_room(redo));
	} else if (!strncmp(line, "crash", 5)) {
		_exit(0);
	} else {
		return e2s_where_detail(where, EINVAL, "%.100s", line);
	}
	return 0;
}

static errcode_t run_script(struct e2s_fs *fs, struct e2s_redo *redo,
			    const char *name, struct e2s_where *where)
{
	FILE *script = fopen(name, "r");
	char line[128];
	errcode_t err = 0;
	void *buf = NULL;

	if (!script)
		return errno;
	err = ext2fs_get_mem(fs->geo.block_size, &buf);
	while (!err && fgets(line, sizeof(line), script))
		err = run_line(fs, redo, line, buf, where);
	ext2fs_free_mem(&buf);
	fclose(script);
	return err;
}

static errcode_t run(struct e2s_fs *fs, const char *redo_file,
		     const char *script, enum e2s_redo_state *state,
		     struct e2s_where *where)
{
	struct e2s_redo *redo;
	errcode_t err, err2;

	if (redo_file)
		err = e2s_redo_open_file(fs, redo_file, &redo, where);
	else
		err = e2s_redo_open_journal(fs, &redo, where);
	if (err)
		return err;
	err = run_script(fs, redo, script, where);
	err2 = e2s_redo_close(redo, state, err ? NULL : where);
	return err ? err : err2;
}

static int resume(const char *redo_file, const char *image)
{
	struct e2s_where where = { 0 };
	uint64_t blocks = 0;
	errcode_t err;

	err = e2s_redo_resume(image, redo_file, &blocks, &where);
	if (err)
		return report(image, err, &where);
	printf("%llu blocks\nclean\n", (unsigned long long)blocks);
	return 0;
}

int main(int argc, char **argv)
{
	struct e2s_fs_rw_options options = { 0 };
	enum e2s_redo_state state = E2S_REDO_CLEAN;
	const char *redo_file = NULL;
	struct e2s_where where = { 0 };
	int opt, finish = 0;
	errcode_t err, err2;
	struct e2s_fs *fs;

	while ((opt = getopt(argc, argv, "u:r:R:")) != -1) {
		if (opt == 'u')
			options.undo = optarg;
		else if (opt == 'r' || opt == 'R')
			redo_file = optarg;
		else
			return 16;
		finish |= opt == 'R';
	}
	if (optind >= argc || argc - optind > 2)
		return 16;
	if (finish)
		return resume(redo_file, argv[optind]);
	if (redo_file)
		options.flags |= E2S_FS_RW_REDO_FILE;
	err = e2s_fs_open_rw(argv[optind], &options, &fs, &where);
	if (err)
		return report(argv[optind], err, &where);
	if (optind + 1 < argc)
		err = run(fs, redo_file, argv[optind + 1], &state, &where);
	err2 = e2s_fs_close(fs);
	puts(states[state]);
	if (!err)
		err = err2;
	return err ? report(argv[optind], err, &where) : 0;
}
