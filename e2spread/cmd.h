/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: a command of e2spread is a const struct command in a file of its own;
 * main.c has the list.  Here is also what commands share: the ways to stop.
 */
#ifndef E2SPREAD_CMD_H
#define E2SPREAD_CMD_H

#include <stdint.h>

#include "fs/fs.h"
#include "scan/scan.h"

/* Exit status of every command. */
enum {
	EXIT_DONE = 0,
	EXIT_CHECK = 1,		/* a --check does not hold */
	EXIT_REFUSED = 4,	/* the device was not touched */
	EXIT_FAILED = 8,	/* operational error */
	EXIT_USAGE = 16,
	EXIT_INTERRUPTED = 32,	/* stopped by a signal, device consistent */
};

enum command_flag {
	COMMAND_WRITES = 1,	/* changes the device */
};

struct command {
	const char *name;
	const char *summary;	/* one line for "e2spread --help" */
	const char *usage;	/* what follows "e2spread NAME", and the options */
	unsigned flags;		/* enum command_flag, or'ed */
	/* argv[0] is the command's name.  Returns the exit status. */
	int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command command_mballoc;
extern const struct command command_report;
extern const struct command command_relayout;
extern const struct command command_simulate;

/* Prints one line on what is wrong with the call and one on where to look it
 * up; returns EXIT_USAGE. */
int usage_error(const struct command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints the command's help on standard output; returns EXIT_DONE. */
int print_help(const struct command *command);

/* Prints the one line that says why DEVICE failed; returns the exit status. */
int failure(const char *device, errcode_t err, const struct e2s_where *where);

/* One line on standard error that begins with the program's name. */
void warn_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Parses TEXT as a number of LEAST to MOST; 0 when it is not. */
int parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *n);

/* Parses TEXT as a finite number above 0; 0 when it is not. */
int parse_decimal(const char *text, double *n);

/* Warns of what makes an answer about FS doubtful, and of what SCAN found
 * wrong; each problem with its place when VERBOSE. */
void warn_doubts(const struct e2s_fs *fs);
void warn_problems(const struct e2s_scan *scan, int verbose);

/* Gives what a phase has freed back to the system: between what stays it would
 * hardly be used again.  Only where malloc() is glibc's. */
void give_back_memory(void);

#endif
