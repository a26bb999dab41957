/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks whose order is known but not their time.  Between a task's step and its
 * next lies one cycle; the window from an inode's bit to its block is RHO of
 * that.  Each inode that others made in the block within the cycle fell into
 * the window with that probability; one is enough to make the task read.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sim/internal.h"

errcode_t e2s_sim_turns_open(struct turns *turns, struct world *w,
			     uint32_t tasks)
{
	*turns = (struct turns){ .world = w, .tasks = tasks };
	turns->turn = calloc(tasks, sizeof(*turns->turn));
	return turns->turn ? 0 : ENOMEM;
}

void e2s_sim_turns_begin(struct turns *turns, uint32_t task)
{
	struct turn *turn = &turns->turn[task];
	struct world *w = turns->world;

	if (!turn->ino)
		return;
	w->result->creation_reads += 1 - exp(-w->options->rho * turn->met);
	*e2s_sim_buffer_starter(w, turn->ino) = 0;
	*turn = (struct turn){ 0 };
}

void e2s_sim_turns_made(struct turns *turns, uint32_t task, uint32_t ino)
{
	struct world *w = turns->world;
	uint32_t *starter = e2s_sim_buffer_starter(w, ino);
	double *ready = e2s_sim_buffer_ready(w, ino);

	if (*ready < (double)INFINITY) {
		if (*starter && *starter != task + 1)
			turns->turn[*starter - 1].met++;
		return;
	}
	if (e2s_sim_buffer_must_be_read(w, ino)) {
		w->result->creation_reads++;
		e2s_sim_buffer_read(w, ino, 0);
		return;
	}
	*ready = 0;
	*starter = task + 1;
	turns->turn[task] = (struct turn){ .ino = ino };
}

void e2s_sim_turns_close(struct turns *turns)
{
	uint32_t task;

	for (task = 0; turns->turn && task < turns->tasks; task++)
		e2s_sim_turns_begin(turns, task);
	free(turns->turn);
	turns->turn = NULL;
}

errcode_t e2s_sim_run_in_turns(struct world *w, struct workload *load,
			       step_fn next, uint32_t tasks,
			       struct e2s_where *where)
{
	uint32_t task, left = tasks;
	unsigned char *ended;
	struct turns turns;
	struct step step;
	errcode_t err;

	ended = calloc(tasks, 1);
	err = e2s_sim_turns_open(&turns, w, tasks);
	if (!ended)
		err = ENOMEM;
	for (task = 0; !err && left; task = (task + 1) % tasks) {
		if (ended[task])
			continue;
		e2s_sim_turns_begin(&turns, task);
		err = next(load, task, &step, where);
		if (err)
			break;
		if (step.kind == STEP_NEW)
			e2s_sim_turns_made(&turns, task, step.ino);
		if (step.kind == STEP_END) {
			ended[task] = 1;
			left--;
		}
	}
	e2s_sim_turns_close(&turns);
	free(ended);
	return err;
}
