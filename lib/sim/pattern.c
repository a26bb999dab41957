/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The patterns: what each task does, step by step. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/internal.h"

typedef E2S_VEC(uint32_t) ino_vec;

struct worker {
	uint32_t dir;			/* its own; E2S_DIR_NONE: none made */
	uint32_t left;			/* files still to make */
	uint32_t here;			/* tree: the directory it is in, */
	uint32_t depth;			/* levels below its own, */
	uint32_t files_here;		/* files it still makes there, */
	uint32_t subdirs;		/* and directories it has made */
	ino_vec made;			/* its files, where they are deleted */
};

struct workload {
	struct world *world;
	struct worker *worker;		/* [task] */
	uint32_t tasks;
	struct random random;
};

const char *e2s_sim_pattern_name(enum e2s_sim_pattern pattern)
{
	static const char *const names[E2S_SIM_PATTERNS] = {
		[E2S_SIM_CREATE] = "create",
		[E2S_SIM_ROUND_ROBIN] = "round-robin",
		[E2S_SIM_REFILL] = "refill",
		[E2S_SIM_TREE] = "tree",
		[E2S_SIM_MIXED] = "mixed",
	};

	return (unsigned)pattern < E2S_SIM_PATTERNS ? names[pattern] : NULL;
}

/*
 * A task that is refused an inode stops, as a program does; the file it could
 * not make has been counted, the rest it will not make are here.
 */
static errcode_t stopped(struct workload *load, struct worker *me,
			 struct step *step, errcode_t err)
{
	if (err != E2S_ET_NO_INODES)
		return err;
	load->world->result->out_of_inodes += me->left ? me->left - 1 : 0;
	me->left = 0;
	step->kind = STEP_END;
	return 0;
}

static errcode_t make_file(struct workload *load, uint32_t task, uint32_t dir,
			   struct step *step)
{
	struct worker *me = &load->worker[task];
	errcode_t err;

	err = e2s_sim_world_create(load->world, task, dir, &step->ino);
	if (err)
		return stopped(load, me, step, err);
	me->left--;
	step->kind = STEP_NEW;
	return 0;
}

/* --- create, round-robin --- */

static errcode_t next_create(struct workload *load, uint32_t task,
			     struct step *step, struct e2s_where *where)
{
	struct worker *me = &load->worker[task];

	(void)where;
	step->kind = STEP_END;
	return me->left ? make_file(load, task, me->dir, step) : 0;
}

/* --- refill --- */

static errcode_t next_kept(struct workload *load, uint32_t task,
			   struct step *step, struct e2s_where *where)
{
	struct worker *me = &load->worker[task];
	errcode_t err;

	err = e2s_vec_reserve(&me->made, 1);
	if (!err)
		err = next_create(load, task, step, where);
	if (!err && step->kind == STEP_NEW)
		me->made.v[me->made.n++] = step->ino;
	return err;
}

/* Deletes the K'th file of ME; which one comes K'th after that is open. */
static errcode_t delete_file(struct workload *load, struct worker *me,
			     uint32_t k, struct e2s_where *where)
{
	uint32_t ino = me->made.v[k];

	me->made.v[k] = me->made.v[--me->made.n];
	return e2s_sim_world_remove(load->world, ino, 1, where);
}

static errcode_t delete_half(struct workload *load, struct worker *me,
			     struct e2s_where *where)
{
	uint32_t n = (uint32_t)me->made.n / 2;
	errcode_t err = 0;

	me->left = n;
	while (!err && n--)
		err = delete_file(load, me,
				  random_below(&load->random,
					       (uint32_t)me->made.n), where);
	return err;
}

static errcode_t run_refill(struct workload *load, struct e2s_where *where)
{
	struct e2s_sim_result *result = load->world->result;
	errcode_t err;
	uint32_t i;

	err = e2s_sim_run_at_once(load->world, load, next_kept, load->tasks,
				  where);
	for (i = 0; !err && i < load->tasks; i++)
		err = delete_half(load, &load->worker[i], where);
	if (err)
		return err;
	e2s_sim_world_remount(load->world);
	/* What counts is the refilling. */
	result->creation_reads = 0;
	result->files = result->out_of_inodes = 0;
	for (i = 0; i < E2S_IALLOC_WHYS; i++)
		result->chosen[i] = 0;
	return e2s_sim_run_at_once(load->world, load, next_create,
				   load->tasks, where);
}

/* --- tree --- */

/* Files of a directory, one as likely as the other: 9.5 on average. */
static const uint32_t tree_files[] = { 1, 1, 2, 3, 5, 8, 15, 41 };
#define TREE_FILES (sizeof(tree_files) / sizeof(tree_files[0]))
#define TREE_DEPTH 12

/*
 * A new directory: in the one it is in, beside it, or beside the one above; as
 * source trees are, one as likely as the other.
 */
static errcode_t enter_directory(struct workload *load, uint32_t task,
				 struct step *step)
{
	struct worker *me = &load->worker[task];
	struct world *w = load->world;
	uint32_t up = random_below(&load->random, 3), dir;
	struct e2s_ialloc_name name;
	char text[16];
	errcode_t err;

	if (me->depth == TREE_DEPTH && !up)
		up = 1;
	for (; up && me->depth; up--, me->depth--)
		me->here = w->dirs.v[me->here].parent;
	name.name = text;
	name.len = (uint32_t)snprintf(text, sizeof(text), "s%u",
				      me->subdirs++);
	err = e2s_sim_world_mkdir(w, task, me->here, &name, &dir);
	if (err)
		return stopped(load, me, step, err);
	me->here = dir;
	me->depth++;
	me->files_here = tree_files[random_below(&load->random, TREE_FILES)];
	step->kind = STEP_NEW;
	step->ino = w->dirs.v[dir].ino;
	return 0;
}

static errcode_t next_tree(struct workload *load, uint32_t task,
			   struct step *step, struct e2s_where *where)
{
	struct worker *me = &load->worker[task];

	(void)where;
	step->kind = STEP_END;
	if (!me->left)
		return 0;
	if (!me->files_here)
		return enter_directory(load, task, step);
	me->files_here--;
	return make_file(load, task, me->here, step);
}

/* --- mixed --- */

static errcode_t next_mixed(struct workload *load, uint32_t task,
			    struct step *step, struct e2s_where *where)
{
	struct worker *me = &load->worker[task];
	uint32_t what = random_below(&load->random, 16), dir = me->dir;
	errcode_t err;

	step->kind = STEP_END;
	if (!me->left)
		return 0;
	step->kind = STEP_OTHER;
	if (what < 4 && me->made.n)
		return delete_file(load, me,
				   random_below(&load->random,
						(uint32_t)me->made.n), where);
	if (what == 4)
		dir = load->worker[(task + 1) % load->tasks].dir;
	if (dir == E2S_DIR_NONE)
		dir = me->dir;
	err = e2s_vec_reserve(&me->made, 1);
	if (!err)
		err = make_file(load, task, dir, step);
	if (!err && step->kind == STEP_NEW)
		me->made.v[me->made.n++] = step->ino;
	return err;
}

/* --- all of them --- */

/* The directory that the tasks' directories are made in. */
static errcode_t find_parent(struct workload *load, uint32_t *parent,
			     struct e2s_where *where)
{
	static const struct e2s_ialloc_name name = { "simulated", 9 };
	struct world *w = load->world;
	uint32_t ino = w->options->parent;

	*parent = e2s_scan_dir_number(w->scan, ino ? ino : EXT2_ROOT_INO);
	if (*parent == E2S_DIR_NONE)
		return e2s_where_ino(where, E2S_ET_NO_PARENT,
				     ino ? ino : EXT2_ROOT_INO);
	return ino ? 0 : e2s_sim_world_mkdir(w, 0, *parent, &name, parent);
}

static errcode_t make_directories(struct workload *load,
				  struct e2s_where *where)
{
	struct world *w = load->world;
	struct e2s_ialloc_name name;
	uint32_t parent, task;
	struct worker *me;
	char text[16];
	errcode_t err;

	err = find_parent(load, &parent, where);
	name.name = text;
	for (task = 0; task < load->tasks; task++) {
		me = &load->worker[task];
		me->dir = E2S_DIR_NONE;
		me->left = w->options->files;
		name.len = (uint32_t)snprintf(text, sizeof(text), "d%u", task);
		if (!err)
			err = e2s_sim_world_mkdir(w, task, parent, &name,
						  &me->dir);
		else if (err == E2S_ET_NO_INODES)
			w->result->out_of_inodes++;
		if (err && err != E2S_ET_NO_INODES)
			return err;
		if (err) {
			w->result->out_of_inodes += me->left;
			me->left = 0;
			continue;
		}
		me->here = me->dir;
		*e2s_sim_buffer_ready(w, w->dirs.v[me->dir].ino) = 0;
	}
	return 0;
}

static step_fn steps_of(enum e2s_sim_pattern pattern)
{
	return pattern == E2S_SIM_TREE ? next_tree :
	       pattern == E2S_SIM_MIXED ? next_mixed : next_create;
}

errcode_t e2s_sim_run_pattern(struct world *w, struct e2s_where *where)
{
	const struct e2s_sim_options *o = w->options;
	struct workload load = {
		.world = w, .tasks = o->tasks,
		.random = random_seeded(~o->order_seed),
	};
	errcode_t err;
	uint32_t i;

	load.worker = calloc(load.tasks, sizeof(*load.worker));
	if (!load.worker)
		return ENOMEM;
	err = make_directories(&load, where);
	if (err)
		goto out;
	if (o->pattern == E2S_SIM_REFILL)
		err = run_refill(&load, where);
	else if (o->pattern == E2S_SIM_ROUND_ROBIN)
		err = e2s_sim_run_in_turns(w, &load, next_create, load.tasks,
					   where);
	else
		err = e2s_sim_run_at_once(w, &load, steps_of(o->pattern),
					  load.tasks, where);
out:
	for (i = 0; i < load.tasks; i++)
		free(load.worker[i].made.v);
	free(load.worker);
	return err;
}
