/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace, operation by operation.  For want of an inode an operation is
 * counted and its name stands for nothing; what the trace does with that name,
 * or below it, is passed over.
 */
#include <errno.h>

#include "sim/internal.h"
#include "scan/readdir.h"
#include "sim/names.h"

/* In place of a directory's number: there was no inode left for it. */
#define DIR_UNMADE (UINT32_MAX - 1)

struct replay {
	struct world *world;
	struct names names;
	struct turns turns;
	struct e2s_where *where;
};

static struct node *node_at(struct replay *r, uint32_t node)
{
	return &r->names.nodes.v[node];
}

static int is_dir(const struct node *node)
{
	return node->dir != E2S_DIR_NONE;
}

/* A new inode at PLACE: a directory when AS_DIR. */
static errcode_t make(struct replay *r, uint32_t task, struct place *place,
		      int as_dir)
{
	const struct e2s_ialloc_name name = { place->name, place->len };
	const uint32_t dir = node_at(r, place->dir)->dir;
	struct node node = { .dir = as_dir ? DIR_UNMADE : E2S_DIR_NONE,
			     .links = 1, .parent = place->dir, .home = dir,
			     .is_new = 1 };
	struct world *w = r->world;
	uint32_t number;
	errcode_t err;

	if (dir == DIR_UNMADE) {
		err = E2S_ET_NO_INODES;
		w->result->out_of_inodes++;
	} else if (as_dir) {
		err = e2s_sim_world_mkdir(w, task, dir, &name, &node.dir);
		if (!err)
			node.ino = w->dirs.v[node.dir].ino;
	} else {
		err = e2s_sim_world_create(w, task, dir, &node.ino);
	}
	if (err && err != E2S_ET_NO_INODES)
		return err;
	if (!err)
		e2s_sim_turns_made(&r->turns, task, node.ino);
	err = e2s_sim_names_add_node(&r->names, &node, &number);
	return err ? err : e2s_sim_names_set(&r->names, place, number);
}

static errcode_t do_make(struct replay *r, const struct e2s_sim_op *op)
{
	struct place place;
	uint32_t node;
	errcode_t err;

	err = e2s_sim_names_place(&r->names, op->path, &place);
	if (!err)
		err = e2s_sim_names_get(&r->names, &place, &node);
	if (!err && node != NODE_NONE)
		err = E2S_ET_TRACE_EXISTS;
	return err ? err : make(r, op->task, &place,
				op->verb == E2S_SIM_MKDIR);
}

/* How many names there are in the directory, those of the file system too. */
static errcode_t count_names(struct replay *r, const struct node *node,
			     uint32_t *count)
{
	struct e2s_names old = { 0 };
	errcode_t err;

	*count = node->names;
	if (node->is_new)
		return 0;
	err = e2s_scan_readdir(r->world->scan, node->dir, 0, &old, r->where);
	*count += (uint32_t)old.n;
	e2s_names_free(&old);
	return err;
}

/* Takes one name away from NODE; with the last one it goes. */
static errcode_t drop(struct replay *r, uint32_t number)
{
	struct node *node = node_at(r, number);
	uint32_t left = 0;
	errcode_t err;

	if (is_dir(node)) {
		err = count_names(r, node, &left);
		if (err)
			return err;
		if (left)
			return E2S_ET_TRACE_NOT_EMPTY;
	} else if (--node->links) {
		return 0;
	}
	if (!node->ino)
		return 0;
	return e2s_sim_world_remove(r->world, node->ino, node->is_new,
				    r->where);
}

static errcode_t do_unlink(struct replay *r, const struct e2s_sim_op *op)
{
	struct place place;
	uint32_t node;
	errcode_t err;

	err = e2s_sim_names_place(&r->names, op->path, &place);
	if (!err)
		err = e2s_sim_names_get(&r->names, &place, &node);
	if (!err && node == NODE_NONE)
		err = E2S_ET_TRACE_MISSING;
	if (!err)
		err = drop(r, node);
	return err ? err : e2s_sim_names_set(&r->names, &place, NODE_NONE);
}

/* Charges the file to the directory that PLACE is in. */
static errcode_t charge(struct replay *r, struct node *node,
			const struct place *place)
{
	uint32_t dir = node_at(r, place->dir)->dir;

	if (!node->ino || dir == DIR_UNMADE)
		return 0;
	node->home = dir;
	return e2s_sim_world_rehome(r->world, node->ino, dir);
}

/* What the name in the way, IN_WAY, says to NODE taking its place. */
static errcode_t replace(struct replay *r, uint32_t node, uint32_t in_way)
{
	if (is_dir(node_at(r, node)) && !is_dir(node_at(r, in_way)))
		return E2S_ET_TRACE_NOT_DIR;
	if (!is_dir(node_at(r, node)) && is_dir(node_at(r, in_way)))
		return E2S_ET_TRACE_IS_DIR;
	return drop(r, in_way);
}

static errcode_t move(struct replay *r, uint32_t number,
		      const struct place *to)
{
	struct node *node = node_at(r, number);
	uint32_t above = to->dir, dir = node_at(r, to->dir)->dir;

	if (!is_dir(node))
		return node->links == 1 ? charge(r, node, to) : 0;
	for (; above; above = node_at(r, above)->parent)
		if (above == number)
			return E2S_ET_TRACE_INSIDE;
	node->parent = to->dir;
	if (node->dir != DIR_UNMADE && dir != DIR_UNMADE)
		r->world->dirs.v[node->dir].parent = dir;
	return 0;
}

static errcode_t do_rename(struct replay *r, const struct e2s_sim_op *op)
{
	struct place from, to;
	uint32_t node, in_way;
	errcode_t err;

	err = e2s_sim_names_place(&r->names, op->path, &from);
	if (!err)
		err = e2s_sim_names_get(&r->names, &from, &node);
	if (!err && node == NODE_NONE)
		err = E2S_ET_TRACE_MISSING;
	if (!err)
		err = e2s_sim_names_place(&r->names, op->other, &to);
	if (!err)
		err = e2s_sim_names_get(&r->names, &to, &in_way);
	if (err || in_way == node)
		return err;		/* two names of one file both stay */
	err = move(r, node, &to);
	if (!err && in_way != NODE_NONE)
		err = replace(r, node, in_way);
	if (!err)
		err = e2s_sim_names_set(&r->names, &from, NODE_NONE);
	return err ? err : e2s_sim_names_set(&r->names, &to, node);
}

static errcode_t do_link(struct replay *r, const struct e2s_sim_op *op)
{
	const struct e2s_scan_dir *dirs = r->world->dirs.v;
	struct place from, to;
	uint32_t number, in_way, dir;
	struct node *node;
	errcode_t err;

	err = e2s_sim_names_place(&r->names, op->path, &from);
	if (!err)
		err = e2s_sim_names_get(&r->names, &from, &number);
	if (!err && number == NODE_NONE)
		err = E2S_ET_TRACE_MISSING;
	if (!err && is_dir(node_at(r, number)))
		err = E2S_ET_TRACE_IS_DIR;
	if (!err)
		err = e2s_sim_names_place(&r->names, op->other, &to);
	if (!err)
		err = e2s_sim_names_get(&r->names, &to, &in_way);
	if (!err && in_way != NODE_NONE)
		err = E2S_ET_TRACE_EXISTS;
	if (err)
		return err;
	node = node_at(r, number);
	node->links++;
	dir = node_at(r, to.dir)->dir;
	if (node->ino && node->home < DIR_UNMADE && dir < DIR_UNMADE &&
	    dirs[dir].ino < dirs[node->home].ino)
		err = charge(r, node, &to);
	return err ? err : e2s_sim_names_set(&r->names, &to, number);
}

static errcode_t do_op(struct replay *r, const struct e2s_sim_op *op)
{
	static errcode_t (*const verbs[E2S_SIM_VERBS])(
		struct replay *r, const struct e2s_sim_op *op) = {
		[E2S_SIM_MKDIR] = do_make,
		[E2S_SIM_MAKE] = do_make,
		[E2S_SIM_UNLINK] = do_unlink,
		[E2S_SIM_RENAME] = do_rename,
		[E2S_SIM_LINK] = do_link,
	};
	errcode_t err;

	e2s_sim_turns_begin(&r->turns, op->task);
	err = verbs[op->verb](r, op);
	if (err > E2S_ET_FAILED && err < E2S_ET_LAST)
		e2s_where_line(r->where, err, op->line);
	return err;
}

errcode_t e2s_sim_run_trace(struct world *w, struct e2s_where *where)
{
	const struct e2s_sim_trace *trace = w->options->trace;
	struct replay r = { .world = w, .where = where };
	errcode_t err;
	size_t i;

	err = e2s_sim_names_open(&r.names, w->scan);
	if (!err)
		err = e2s_sim_turns_open(&r.turns, w, trace->tasks);
	for (i = 0; !err && i < trace->ops_n; i++)
		err = do_op(&r, &trace->ops[i]);
	e2s_sim_turns_close(&r.turns);
	e2s_sim_names_close(&r.names);
	return err;
}
