/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace: a recorded workload, one operation a line:
 *
 *     [@TASK] mkdir PATH
 *     [@TASK] create PATH
 *     [@TASK] unlink PATH
 *     [@TASK] rename OLD NEW
 *     [@TASK] link OLD NEW
 *
 * Blanks separate.  TASK is a number, 0 when left out.  A path starts with "/";
 * in it \ and three octal digits stand for a byte (blank \040, backslash
 * \134).  Empty lines and lines that start with "#" mean nothing.
 */
#ifndef E2S_SIM_TRACE_H
#define E2S_SIM_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "util/util.h"

enum e2s_sim_verb {
	E2S_SIM_MKDIR,
	E2S_SIM_MAKE,
	E2S_SIM_UNLINK,		/* also an empty directory */
	E2S_SIM_RENAME,
	E2S_SIM_LINK,
	E2S_SIM_VERBS
};

struct e2s_sim_op {
	enum e2s_sim_verb verb;
	uint32_t task;
	uint64_t line;
	const char *path, *other;	/* OTHER: of rename and link, or NULL */
};

/* Tasks are numbered below this. */
#define E2S_SIM_TASKS_MAX (1u << 20)

struct e2s_sim_trace {
	struct e2s_sim_op *ops;
	size_t ops_n;
	uint32_t tasks;			/* the highest number plus one */
	char *bytes;			/* what the paths point into */
};

/*
 * Reads a trace to the end of STREAM; it is checked for form here and against
 * the file system by e2s_sim_run().  *RET is for e2s_sim_trace_free().  Returns
 * E2S_ET_TRACE_VERB, E2S_ET_TRACE_PATHS, E2S_ET_TRACE_PATH or E2S_ET_TRACE_TASK
 * with the line, ENOMEM, or what reading ended with.
 */
errcode_t e2s_sim_trace_read(FILE *stream, struct e2s_sim_trace **ret,
			     struct e2s_where *where);
void e2s_sim_trace_free(struct e2s_sim_trace *trace);

#endif
