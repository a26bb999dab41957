/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of sim/ share with one another and with nobody else. */
#ifndef E2S_SIM_INTERNAL_H
#define E2S_SIM_INTERNAL_H

#include "sim/random.h"
#include "sim/sim.h"

/*
 * The world: the file system as the workload has changed it so far.  What it
 * holds of a group is made when the first inode is placed there, so that a huge
 * file system of which little is used costs nothing.
 */
struct sim_group {
	e2s_slot *slots;		/* [index of inode], NULL: untouched */
	uint16_t *new_files;		/* [block] of the workload's making */
	uint16_t *new_dirs;		/* [block] likewise */
	double *ready;			/* [block] time from which it is in
					 * memory, INFINITY: it is not */
	double *queue;			/* [block] when the last waiter goes on */
	uint32_t *starter;		/* [block] task + 1 that began it */
	uint32_t used;			/* the high-water mark */
};

/*
 * Directories are numbered as in the scan; those of the workload's making
 * follow, from scan->dirs_n on.
 */
struct world {
	const struct e2s_scan *scan;
	const struct e2s_geometry *geo;
	const struct e2s_sim_options *options;
	struct e2s_ialloc *ia;
	struct sim_group *group;
	E2S_VEC(struct e2s_scan_dir) dirs;
	E2S_VEC(struct e2s_ialloc_dir) alloc;	/* of dirs, the same indexes */
	struct e2s_sim_result *result;
};

errcode_t e2s_sim_world_open(struct world *w, const struct e2s_scan *scan,
		     const struct e2s_sim_options *options,
		     struct e2s_sim_result *result, struct e2s_where *where);
void e2s_sim_world_close(struct world *w);

/*
 * TASK makes a file in directory DIR, or a directory, whose number goes to
 * *MADE.  Returns E2S_ET_NO_INODES, which counts as out_of_inodes, or ENOMEM.
 */
errcode_t e2s_sim_world_create(struct world *w, uint32_t task, uint32_t dir,
		       uint32_t *ino);
errcode_t e2s_sim_world_mkdir(struct world *w, uint32_t task, uint32_t dir,
		      const struct e2s_ialloc_name *name, uint32_t *made);

/* Deletes INO; IS_NEW: it is of the workload's making. */
errcode_t e2s_sim_world_remove(struct world *w, uint32_t ino, int is_new,
		       struct e2s_where *where);

/* Charges the file INO to directory DIR. */
errcode_t e2s_sim_world_rehome(struct world *w, uint32_t ino, uint32_t dir);

/* Forgets what is in memory only: blocks, and groups last used. */
void e2s_sim_world_remount(struct world *w);

/* --- itable blocks in memory (buffers.c); INO is of a touched group --- */

/* From when on the block of INO is in memory. */
double *e2s_sim_buffer_ready(struct world *w, uint32_t ino);

/* When the last of those that wait for the block of INO goes on. */
double *e2s_sim_buffer_queue(struct world *w, uint32_t ino);

/* The task, plus one, that began the block of INO; 0: none has. */
uint32_t *e2s_sim_buffer_starter(struct world *w, uint32_t ino);

/* True when another inode of the block is in use, so that it must be read. */
int e2s_sim_buffer_must_be_read(const struct world *w, uint32_t ino);

/* Reads the block of INO, and ahead; all in memory from UNTIL on. */
void e2s_sim_buffer_read(struct world *w, uint32_t ino, double until);

/* --- a workload is what tasks do, step by step --- */

enum step_kind {
	STEP_END,			/* nothing more to do */
	STEP_NEW,			/* made an inode: wants its block */
	STEP_OTHER,			/* something that needs no block */
};

struct step {
	enum step_kind kind;
	uint32_t ino;			/* of STEP_NEW */
};

struct workload;
typedef errcode_t (*step_fn)(struct workload *load, uint32_t task,
			     struct step *step, struct e2s_where *where);

/* Tasks that run at once, in time (clock.c). */
errcode_t e2s_sim_run_at_once(struct world *w, struct workload *load,
			      step_fn next, uint32_t tasks,
			      struct e2s_where *where);

/*
 * Tasks whose order is known but not their time (turns.c).  A task's step
 * starts with _begin(); _made() follows for an inode that it made.  _close()
 * ends what is under way.
 */
struct turn {
	uint32_t ino;			/* of the block it began, 0: none */
	uint32_t met;			/* inodes others then made there */
};

struct turns {
	struct world *world;
	struct turn *turn;		/* [task] */
	uint32_t tasks;
};

errcode_t e2s_sim_turns_open(struct turns *turns, struct world *w,
			     uint32_t tasks);
void e2s_sim_turns_begin(struct turns *turns, uint32_t task);
void e2s_sim_turns_made(struct turns *turns, uint32_t task, uint32_t ino);
void e2s_sim_turns_close(struct turns *turns);

errcode_t e2s_sim_run_in_turns(struct world *w, struct workload *load,
			       step_fn next, uint32_t tasks,
			       struct e2s_where *where);

errcode_t e2s_sim_run_pattern(struct world *w, struct e2s_where *where);
errcode_t e2s_sim_run_trace(struct world *w, struct e2s_where *where);

/* Fills what the result says of the end. */
errcode_t e2s_sim_measure_world(struct world *w);

static inline uint32_t group_of(const struct world *w, uint32_t ino)
{
	return (ino - 1) / w->geo->inodes_per_group;
}

/* The itable block of INO, counted from the start of its group's. */
static inline uint32_t block_of(const struct world *w, uint32_t ino)
{
	return (ino - 1) % w->geo->inodes_per_group / w->geo->inodes_per_block;
}

#endif
