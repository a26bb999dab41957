/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands share: the ways to stop, and to warn. */
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "e2spread/cmd.h"

/* errno, as com_err tells its own codes from it. */
#define SYSTEM_ERRORS 256

void warn_line(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("e2spread: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

int usage_error(const struct command *command, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "e2spread %s: ", command->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see 'e2spread %s --help'\n", command->name);
	return EXIT_USAGE;
}

int print_help(const struct command *command)
{
	printf("Usage: e2spread %s %s", command->name, command->usage);
	return EXIT_DONE;
}

int failure(const char *device, errcode_t err, const struct e2s_where *where)
{
	fflush(stdout);
	/* What the system says is of a file that has no other place. */
	if (err < SYSTEM_ERRORS && !where->set && where->detail[0]) {
		fprintf(stderr, "e2spread: %s: %s: %s\n", device, where->detail,
			error_message(err));
		return EXIT_FAILED;
	}
	fprintf(stderr, "e2spread: %s: %s", device, error_message(err));
	e2s_where_print(where, stderr);
	fputc('\n', stderr);
	if (err == E2S_ET_NO_FLEX_GROUP || err == E2S_ET_NO_GROUP)
		return EXIT_USAGE;	/* an option named what is not there */
	return e2s_err_is_refusal(err) ? EXIT_REFUSED : EXIT_FAILED;
}

int parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *n)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	*n = strtoull(text, &end, 10);
	return !errno && !*end && *n >= least && *n <= most;
}

int parse_decimal(const char *text, double *n)
{
	char *end;

	errno = 0;
	*n = strtod(text, &end);
	return !errno && end != text && !*end && isfinite(*n) && *n > 0;
}

void warn_doubts(const struct e2s_fs *fs)
{
	static const struct {
		unsigned doubt;
		const char *words;
	} rows[] = {
		{ E2S_FS_DOUBT_MOUNTED,
		  "is mounted read-write; the answer may be stale" },
		{ E2S_FS_DOUBT_MMP,
		  "is in use according to its MMP block; the answer may be stale" },
		{ E2S_FS_DOUBT_JOURNAL,
		  "has changes in its journal that the answer lacks; "
		  "run 'e2fsck -p' first" },
		{ E2S_FS_DOUBT_ERRORS,
		  "is marked as having errors; run 'e2fsck -f'" },
		{ E2S_FS_DOUBT_UNCLEAN,
		  "was not unmounted cleanly; run 'e2fsck -f'" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (fs->doubts & rows[i].doubt)
			warn_line("%s: warning: %s", fs->device, rows[i].words);
}

static void name_problem(const struct e2s_fs *fs,
			 const struct e2s_problem *problem)
{
	struct e2s_where where = { 0 };

	e2s_where_group(&where, 0, problem->group);
	if (problem->ino)
		e2s_where_ino(&where, 0, problem->ino);
	if (problem->blk)
		e2s_where_blk(&where, 0, problem->blk);
	fprintf(stderr, "e2spread: %s: %s", fs->device,
		e2s_problem_words(problem->kind));
	e2s_where_print(&where, stderr);
	fputc('\n', stderr);
}

void warn_problems(const struct e2s_scan *scan, int verbose)
{
	uint64_t n = e2s_scan_problems(scan);
	size_t i;

	if (!n)
		return;
	fflush(stdout);
	for (i = 0; verbose && i < scan->problems_kept; i++)
		name_problem(scan->fs, &scan->problems[i]);
	if (verbose && n > scan->problems_kept)
		warn_line("%s: %llu more problems", scan->fs->device,
			  (unsigned long long)(n - scan->problems_kept));
	warn_line("%s: warning: %llu problem%s found, the figures leave out "
		  "what is damaged; run 'e2fsck -f %s'%s", scan->fs->device,
		  (unsigned long long)n, n == 1 ? "" : "s", scan->fs->device,
		  verbose ? "" : " (-v names them)");
}

void give_back_memory(void)
{
#ifdef M_TRIM_THRESHOLD
	malloc_trim(0);
#endif
}
