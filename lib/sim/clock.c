/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks that run at once.  A task sets the bit of an inode, comes to its itable
 * block a little later, waits there if it must, and does the rest of its
 * create.  Time is counted in creates that meet nobody.
 *
 *     bit  --window-->  block in memory?                         --rest--> bit
 *                       yes: go on
 *                       being read by another: wait for it
 *                       no other inode of it in use: make it up
 *                       else: read it
 *
 * Tasks that have waited for the same block go on almost together and meet again
 * at the next one, while those that are not there fall behind by less.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sim/internal.h"

/*
 * One set of constants for all file systems and workloads; doc/simulate.md says
 * where they come from.
 */
#define READ_TIME 0.87		/* of an itable block */
#define HAND_OVER 0.011		/* of a buffer's lock, waiter to waiter */
#define WINDOW_CHANCE 0.83	/* how much of the window varies */
#define REST_JITTER 0.14	/* the rest of a create varies by so much */
#define PACE_SPREAD 0.018	/* how unlike the tasks' paces are */

struct runner {
	double at;			/* when its next event is */
	double pace;			/* how long its creates take, about 1 */
	uint32_t ino;			/* on the way to its block, or 0 */
};

struct clock {
	struct world *world;
	struct runner *runner;		/* [task] */
	uint32_t *heap;			/* tasks, the next one first */
	uint32_t n;			/* tasks that have not ended */
	struct random random;
};

static int earlier(const struct clock *c, uint32_t a, uint32_t b)
{
	if (c->runner[a].at != c->runner[b].at)
		return c->runner[a].at < c->runner[b].at;
	return a < b;
}

static void sift_down(struct clock *c, uint32_t i)
{
	uint32_t task = c->heap[i], child;

	for (; (child = 2 * i + 1) < c->n; i = child) {
		if (child + 1 < c->n &&
		    earlier(c, c->heap[child + 1], c->heap[child]))
			child++;
		if (!earlier(c, c->heap[child], task))
			break;
		c->heap[i] = c->heap[child];
	}
	c->heap[i] = task;
}

/* Some of it always, the rest mostly short and now and then long. */
static double window(struct clock *c)
{
	double chance = -log(random_unit(&c->random));

	return c->world->options->rho *
	       (1 - WINDOW_CHANCE + WINDOW_CHANCE * chance);
}

static double rest(struct clock *c, const struct runner *r)
{
	double jitter = 2 * random_unit(&c->random) - 1;

	return (1 - c->world->options->rho) * r->pace *
	       (1 + REST_JITTER * jitter);
}

/*
 * Those that wait for a block go on one after the other: each must have the lock
 * of its buffer to see that the block has been read meanwhile.
 */
static double wait_for_turn(struct world *w, uint32_t ino, double ready)
{
	double *queue = e2s_sim_buffer_queue(w, ino);

	*queue = (*queue > ready ? *queue : ready) + HAND_OVER;
	return *queue;
}

/* When the task may go on that comes to the block of INO at NOW. */
static double get_inode_loc(struct world *w, uint32_t ino, double now)
{
	double *ready = e2s_sim_buffer_ready(w, ino);

	if (*ready <= now)
		return now;
	if (*ready < (double)INFINITY)
		return wait_for_turn(w, ino, *ready);
	if (!e2s_sim_buffer_must_be_read(w, ino)) {
		*ready = now;
		return now;
	}
	w->result->creation_reads++;
	e2s_sim_buffer_read(w, ino, now + READ_TIME);
	return now + READ_TIME;
}

static errcode_t clock_open(struct clock *c, struct world *w, uint32_t tasks)
{
	uint32_t i;

	*c = (struct clock){
		.world = w, .n = tasks,
		.random = random_seeded(w->options->order_seed),
	};
	c->runner = calloc(tasks, sizeof(*c->runner));
	c->heap = calloc(tasks, sizeof(*c->heap));
	if (!c->runner || !c->heap)
		return ENOMEM;
	for (i = 0; i < tasks; i++) {
		c->runner[i].pace = 1 - PACE_SPREAD *
				    (1 + log(random_unit(&c->random)));
		c->runner[i].at = random_unit(&c->random);
		c->heap[i] = i;
	}
	for (i = tasks / 2; i-- > 0;)
		sift_down(c, i);
	return 0;
}

/* The task's next step; it ends, or has an inode to find the block of. */
static errcode_t begin_step(struct clock *c, struct workload *load,
			    step_fn next, uint32_t task,
			    struct e2s_where *where)
{
	struct runner *r = &c->runner[task];
	struct step step;
	errcode_t err;

	err = next(load, task, &step, where);
	if (err)
		return err;
	switch (step.kind) {
	case STEP_END:
		c->heap[0] = c->heap[--c->n];
		break;
	case STEP_NEW:
		r->ino = step.ino;
		r->at += window(c);
		break;
	case STEP_OTHER:
		r->at += rest(c, r);
		break;
	}
	return 0;
}

errcode_t e2s_sim_run_at_once(struct world *w, struct workload *load,
			      step_fn next, uint32_t tasks,
			      struct e2s_where *where)
{
	struct clock c;
	struct runner *r;
	errcode_t err;

	err = clock_open(&c, w, tasks);
	while (!err && c.n) {
		r = &c.runner[c.heap[0]];
		if (r->ino) {
			r->at = get_inode_loc(w, r->ino, r->at) + rest(&c, r);
			r->ino = 0;
		} else {
			err = begin_step(&c, load, next, c.heap[0], where);
		}
		if (c.n)
			sift_down(&c, 0);
	}
	free(c.runner);
	free(c.heap);
	return err;
}
