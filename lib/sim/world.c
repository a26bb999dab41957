/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The world: inodes come and go. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/internal.h"

errcode_t e2s_sim_world_open(struct world *w, const struct e2s_scan *scan,
		     const struct e2s_sim_options *options,
		     struct e2s_sim_result *result, struct e2s_where *where)
{
	errcode_t err;
	size_t i;

	*w = (struct world){ .scan = scan, .geo = &scan->fs->geo,
			     .options = options, .result = result };
	w->group = calloc(w->geo->groups, sizeof(*w->group));
	if (!w->group || e2s_vec_reserve(&w->dirs, scan->dirs_n + 1) ||
	    e2s_vec_reserve(&w->alloc, scan->dirs_n + 1)) {
		err = ENOMEM;
		goto out;
	}
	if (scan->dirs_n)
		memcpy(w->dirs.v, scan->dirs,
		       scan->dirs_n * sizeof(*scan->dirs));
	for (i = 0; i < scan->dirs_n; i++) {
		w->alloc.v[i] = e2s_ialloc_dir_init(scan->dirs[i].ino);
		if (scan->dirs[i].flags & EXT2_TOPDIR_FL)
			w->alloc.v[i].top = 1;
		if (scan->dirs[i].flags & EXT4_CASEFOLD_FL)
			w->alloc.v[i].casefold = 1;
	}
	w->dirs.n = w->alloc.n = scan->dirs_n;
	err = e2s_ialloc_load(scan->fs, &w->ia, where);
out:
	if (err)
		e2s_sim_world_close(w);
	return err;
}

static void free_group(struct sim_group *g)
{
	free(g->slots);
	free(g->new_files);
	free(g->new_dirs);
	free(g->ready);
	free(g->queue);
	free(g->starter);
	*g = (struct sim_group){ 0 };
}

void e2s_sim_world_close(struct world *w)
{
	uint32_t i;

	for (i = 0; w->group && i < w->geo->groups; i++)
		free_group(&w->group[i]);
	free(w->group);
	free(w->dirs.v);
	free(w->alloc.v);
	e2s_ialloc_free(w->ia);
	*w = (struct world){ 0 };
}

/* Nothing of a group is in memory before it is touched. */
static errcode_t touch_group(struct world *w, uint32_t group)
{
	const struct e2s_layout *layout = &w->scan->layout;
	const uint32_t blocks = w->geo->itable_blocks;
	struct sim_group *g = &w->group[group];
	uint32_t i;

	if (g->slots)
		return 0;
	/* The last block may have room for more than the group's inodes. */
	g->slots = calloc((size_t)blocks * w->geo->inodes_per_block,
			  sizeof(*g->slots));
	g->new_files = calloc(blocks, sizeof(*g->new_files));
	g->new_dirs = calloc(blocks, sizeof(*g->new_dirs));
	g->ready = malloc(blocks * sizeof(*g->ready));
	g->queue = calloc(blocks, sizeof(*g->queue));
	g->starter = calloc(blocks, sizeof(*g->starter));
	if (!g->slots || !g->new_files || !g->new_dirs || !g->ready ||
	    !g->queue || !g->starter) {
		free_group(g);
		return ENOMEM;
	}
	if (layout->slots[group])
		memcpy(g->slots, layout->slots[group],
		       layout->used[group] * sizeof(*g->slots));
	g->used = e2s_fs_itable_used(w->scan->fs, group);
	for (i = 0; i < blocks; i++)
		g->ready[i] = INFINITY;
	return 0;
}

static errcode_t put(struct world *w, const struct e2s_ialloc_placed *placed,
		     e2s_slot slot)
{
	const uint32_t index = (placed->ino - 1) % w->geo->inodes_per_group;
	struct sim_group *g = &w->group[placed->group];
	errcode_t err;

	err = touch_group(w, placed->group);
	if (err)
		return err;
	g->slots[index] = slot;
	if (g->used <= index)
		g->used = index + 1;
	if (e2s_slot_is_dir(slot))
		g->new_dirs[block_of(w, placed->ino)]++;
	else
		g->new_files[block_of(w, placed->ino)]++;
	return 0;
}

static errcode_t allocate(struct world *w, uint32_t task, uint32_t dir,
			  const struct e2s_ialloc_name *name,
			  struct e2s_ialloc_placed *placed)
{
	const struct e2s_sim_options *o = w->options;
	errcode_t err;

	err = e2s_ialloc_new_inode(w->ia, o->policy, &w->alloc.v[dir], name,
				   placed);
	if (err == E2S_ET_NO_INODES)
		w->result->out_of_inodes++;
	if (!err && o->placed)
		o->placed(o->ctx, task, dir, placed, name != NULL);
	return err;
}

errcode_t e2s_sim_world_create(struct world *w, uint32_t task, uint32_t dir,
		       uint32_t *ino)
{
	struct e2s_ialloc_placed placed;
	errcode_t err;

	err = allocate(w, task, dir, NULL, &placed);
	if (!err)
		err = put(w, &placed, E2S_SLOT_FILE | (dir + 1));
	if (err)
		return err;
	w->result->chosen[placed.why]++;
	w->result->files++;
	*ino = placed.ino;
	return 0;
}

errcode_t e2s_sim_world_mkdir(struct world *w, uint32_t task, uint32_t dir,
		      const struct e2s_ialloc_name *name, uint32_t *made)
{
	struct e2s_ialloc_placed placed;
	errcode_t err;

	if (w->dirs.n >= E2S_DIRS_MAX)
		return E2S_ET_TOO_MANY_DIRS;
	err = e2s_vec_reserve(&w->dirs, 1);
	if (!err)
		err = e2s_vec_reserve(&w->alloc, 1);
	if (!err)
		err = allocate(w, task, dir, name, &placed);
	if (!err)
		err = put(w, &placed, E2S_SLOT_DIR | (e2s_slot)w->dirs.n);
	if (err)
		return err;
	*made = (uint32_t)w->dirs.n;
	w->dirs.v[w->dirs.n++] = (struct e2s_scan_dir){ .ino = placed.ino,
							.parent = dir };
	w->alloc.v[w->alloc.n] = e2s_ialloc_dir_init(placed.ino);
	/* k: the flag is handed down, TOPDIR is not. */
	w->alloc.v[w->alloc.n++].casefold = w->alloc.v[dir].casefold;
	w->result->directories++;
	return 0;
}

errcode_t e2s_sim_world_remove(struct world *w, uint32_t ino, int is_new,
		       struct e2s_where *where)
{
	const uint32_t group = group_of(w, ino);
	struct sim_group *g = &w->group[group];
	errcode_t err;
	e2s_slot *slot;

	err = touch_group(w, group);
	if (err)
		return err;
	slot = &g->slots[(ino - 1) % w->geo->inodes_per_group];
	err = e2s_ialloc_release(w->ia, ino, e2s_slot_is_dir(*slot), where);
	if (err)
		return err;
	if (is_new && e2s_slot_is_dir(*slot))
		g->new_dirs[block_of(w, ino)]--;
	else if (is_new)
		g->new_files[block_of(w, ino)]--;
	*slot = E2S_SLOT_FREE;
	return 0;
}

errcode_t e2s_sim_world_rehome(struct world *w, uint32_t ino, uint32_t dir)
{
	const uint32_t group = group_of(w, ino);
	errcode_t err;

	err = touch_group(w, group);
	if (!err)
		w->group[group].slots[(ino - 1) % w->geo->inodes_per_group] =
			E2S_SLOT_FILE | (dir + 1);
	return err;
}

void e2s_sim_world_remount(struct world *w)
{
	uint32_t group, i;
	struct sim_group *g;

	for (group = 0; group < w->geo->groups; group++) {
		g = &w->group[group];
		for (i = 0; g->slots && i < w->geo->itable_blocks; i++) {
			g->ready[i] = INFINITY;
			g->queue[i] = 0;
			g->starter[i] = 0;
		}
	}
	for (i = 0; i < w->alloc.n; i++) {
		w->alloc.v[i].last_alloc_group = E2S_IALLOC_UNSET;
		w->alloc.v[i].home_group = E2S_IALLOC_UNSET;
	}
}
