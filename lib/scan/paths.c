/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of directories: climbs to the root, then reads each parent once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scan/internal.h"
#include "scan/readdir.h"

/* A damaged tree may climb in circles. */
#define DEPTH_MAX 4096

/* A directory whose name must be found in its parent. */
struct step {
	uint32_t parent, dir;
	char *name;		/* NULL until found */
};

typedef E2S_VEC(struct step) step_vec;

static int by_parent(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->dir < y->dir ? -1 : x->dir > y->dir;
}

static errcode_t climb(const struct e2s_scan *scan, uint32_t dir,
		       step_vec *steps)
{
	uint32_t depth, parent;
	errcode_t err;

	for (depth = 0; depth < DEPTH_MAX; depth++, dir = parent) {
		parent = scan->dirs[dir].parent;
		if (parent == dir || parent == E2S_DIR_NONE)
			return 0;
		err = e2s_vec_reserve(steps, 1);
		if (err)
			return err;
		steps->v[steps->n++] = (struct step){ .parent = parent,
						      .dir = dir };
	}
	return 0;
}

static void drop_doubles(step_vec *steps)
{
	size_t i, kept = 0;

	qsort(steps->v, steps->n, sizeof(*steps->v), by_parent);
	for (i = 0; i < steps->n; i++)
		if (!kept || by_parent(&steps->v[kept - 1], &steps->v[i]))
			steps->v[kept++] = steps->v[i];
	steps->n = kept;
}

static struct step *find_step(const step_vec *steps, uint32_t parent,
			      uint32_t dir)
{
	struct step key = { .parent = parent, .dir = dir };

	if (!steps->n)
		return NULL;
	return bsearch(&key, steps->v, steps->n, sizeof(*steps->v), by_parent);
}

static errcode_t find_names(const struct e2s_scan *scan, step_vec *steps,
			    uint32_t parent, struct e2s_where *where)
{
	struct e2s_names names = { 0 };
	struct step *step;
	errcode_t err;
	size_t i;

	err = e2s_scan_readdir(scan, parent, E2S_READDIR_BYTES, &names, where);
	for (i = 0; !err && i < names.n; i++) {
		step = find_step(steps, parent,
				 e2s_scan_dir_number(scan, names.v[i].ino));
		if (!step || step->name)
			continue;
		step->name = strndup(e2s_name_text(&names, i),
				     e2s_name_len(&names, i));
		if (!step->name)
			err = ENOMEM;
	}
	e2s_names_free(&names);
	return err;
}

static errcode_t join(const struct e2s_scan *scan, const step_vec *steps,
		      uint32_t dir, char **path)
{
	const char *parts[DEPTH_MAX];
	uint32_t depth = 0, parent;
	size_t len = 1, at = 0;
	struct step *step;

	for (; depth < DEPTH_MAX; dir = parent) {
		parent = scan->dirs[dir].parent;
		if (parent == dir)
			break;
		step = parent == E2S_DIR_NONE ? NULL
					      : find_step(steps, parent, dir);
		parts[depth] = step && step->name ? step->name : "?";
		len += strlen(parts[depth++]) + 1;
		if (!step)
			break;
	}
	*path = malloc(len + 1);
	if (!*path)
		return ENOMEM;
	strcpy(*path, depth ? "" : "/");
	while (depth--) {
		(*path)[at++] = '/';
		strcpy(*path + at, parts[depth]);
		at += strlen(parts[depth]);
	}
	return 0;
}

errcode_t e2s_scan_paths(const struct e2s_scan *scan, const uint32_t *dirs,
			 size_t n, char **paths, struct e2s_where *where)
{
	step_vec steps = { 0 };
	errcode_t err = 0;
	size_t i, done = 0;

	for (i = 0; i < n && !err; i++)
		err = climb(scan, dirs[i], &steps);
	if (err)
		goto out;
	if (steps.n)
		drop_doubles(&steps);
	for (i = 0; i < steps.n && !err; i++)
		if (!i || steps.v[i].parent != steps.v[i - 1].parent)
			err = find_names(scan, &steps, steps.v[i].parent, where);
	for (; done < n && !err; done++)
		err = join(scan, &steps, dirs[done], &paths[done]);
out:
	while (err && done--)
		free(paths[done]);
	for (i = 0; i < steps.n; i++)
		free(steps.v[i].name);
	free(steps.v);
	return err;
}
