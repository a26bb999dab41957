/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of commands, and the way to one of them. */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "e2spread/cmd.h"

static const struct command *const commands[] = {
	&command_report,
	&command_relayout,
	&command_simulate,
	&command_mballoc,
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_overview(FILE *stream)
{
	size_t i;

	fputs("Usage: e2spread COMMAND [options] DEVICE\n\n"
	      "DEVICE is an unmounted block device, an image file, LABEL=x or "
	      "UUID=x,\neach with ?offset=BYTES if need be.  Commands:\n\n",
	      stream);
	for (i = 0; i < COMMANDS; i++)
		fprintf(stream, "  %-10s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\n'e2spread COMMAND --help' says more; so does e2spread(8).\n",
	      stream);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	size_t i;

	if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
		print_overview(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("e2spread " PACKAGE_VERSION);
		return EXIT_DONE;
	}
	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i]->run(commands[i], argc - 1,
						argv + 1);
	if (*name)
		warn_line("no command '%s'; see 'e2spread --help'", name);
	else
		print_overview(stderr);
	return EXIT_USAGE;
}
