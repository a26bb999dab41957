/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timed RESULT COMMAND [ARGUMENT...]: runs COMMAND and writes to the file
 * RESULT "WALL USER SYS PEAK": seconds, seconds, seconds, KiB, from wait4(2);
 * exits as COMMAND does, with 128 + N after signal N.
 *
 * bench/run does not wait for COMMAND itself because the peak that wait4()
 * tells is that of the process, which begins as a copy of its parent: of a
 * Python interpreter it would never be less than that interpreter has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double start, wall;
	FILE *result;
	pid_t pid;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: timed RESULT COMMAND [ARGUMENT...]\n");
		return 125;
	}
	start = now();
	pid = fork();
	if (pid < 0) {
		perror("timed: fork");
		return 125;
	}
	if (!pid) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) != pid) {
		perror("timed: wait4");
		return 125;
	}
	wall = now() - start;
	result = fopen(argv[1], "w");
	if (!result ||
	    fprintf(result, "%.6f %.6f %.6f %ld\n", wall,
		    seconds(usage.ru_utime), seconds(usage.ru_stime),
		    usage.ru_maxrss) < 0 ||
	    fclose(result)) {
		perror(argv[1]);
		return 125;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
