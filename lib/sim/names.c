/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/names.h"

static uint64_t hash_of(uint32_t dir, const char *name, uint32_t len)
{
	uint64_t h = UINT64_C(14695981039346656037) ^ dir;
	uint32_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
	return h ^ h >> 29;
}

/* --- old inodes --- */

static uint32_t *old_at(const struct names *names, uint32_t ino)
{
	size_t i = ino * UINT64_C(2654435761) & (names->old_room - 1);

	while (names->node_of[i] != NODE_NONE &&
	       names->nodes.v[names->node_of[i]].ino != ino)
		i = (i + 1) & (names->old_room - 1);
	return &names->node_of[i];
}

static errcode_t grow_old(struct names *names)
{
	const size_t old_room = names->old_room;
	uint32_t *old = names->node_of;
	size_t i;

	names->old_room = old_room ? old_room * 2 : 64;
	names->node_of = malloc(names->old_room * sizeof(*old));
	if (!names->node_of) {
		names->node_of = old;
		names->old_room = old_room;
		return ENOMEM;
	}
	for (i = 0; i < names->old_room; i++)
		names->node_of[i] = NODE_NONE;
	for (i = 0; i < old_room; i++)
		if (old[i] != NODE_NONE)
			*old_at(names, names->nodes.v[old[i]].ino) = old[i];
	free(old);
	return 0;
}

errcode_t e2s_sim_names_add_node(struct names *names, const struct node *node,
			 uint32_t *ret)
{
	errcode_t err;

	err = e2s_vec_reserve(&names->nodes, 1);
	if (err)
		return err;
	*ret = (uint32_t)names->nodes.n;
	names->nodes.v[names->nodes.n++] = *node;
	return 0;
}

/* The node of the old inode INO, which a directory PARENT names. */
static errcode_t get_old(struct names *names, uint32_t ino, uint32_t parent,
			 uint32_t *ret)
{
	struct node node = { .ino = ino, .dir = e2s_scan_dir_number(names->scan,
								    ino) };
	struct ext2_inode inode;
	errcode_t err;

	if (names->old * 2 >= names->old_room) {
		err = grow_old(names);
		if (err)
			return err;
	}
	*ret = *old_at(names, ino);
	if (*ret != NODE_NONE)
		return 0;
	node.parent = parent;
	node.home = E2S_DIR_NONE;
	if (e2s_slot_has_home(e2s_scan_slot(names->scan, ino)))
		node.home = e2s_slot_home(e2s_scan_slot(names->scan, ino));
	err = ext2fs_read_inode(names->scan->fs->ext2, ino, &inode);
	if (err)
		return err;
	node.links = inode.i_links_count ? inode.i_links_count : 1;
	err = e2s_sim_names_add_node(names, &node, ret);
	if (err)
		return err;
	*old_at(names, ino) = *ret;
	names->old++;
	return 0;
}

/* --- names --- */

static struct name_entry *entry_at(const struct names *names,
				   const struct place *place, uint64_t hash)
{
	size_t i = hash & (names->room - 1);
	const struct name_entry *e;

	for (;; i = (i + 1) & (names->room - 1)) {
		e = &names->entry[i];
		if (e->dir == NODE_NONE ||
		    (e->hash == hash && e->dir == place->dir &&
		     e->len == place->len &&
		     !memcmp(e->name, place->name, e->len)))
			return &names->entry[i];
	}
}

static errcode_t grow_entries(struct names *names)
{
	const size_t old_room = names->room;
	struct name_entry *old = names->entry;
	struct place place;
	size_t i;

	names->room = old_room ? old_room * 2 : 64;
	names->entry = malloc(names->room * sizeof(*old));
	if (!names->entry) {
		names->entry = old;
		names->room = old_room;
		return ENOMEM;
	}
	for (i = 0; i < names->room; i++)
		names->entry[i].dir = NODE_NONE;
	for (i = 0; i < old_room; i++) {
		if (old[i].dir == NODE_NONE)
			continue;
		place = (struct place){ old[i].dir, old[i].len, old[i].name };
		*entry_at(names, &place, old[i].hash) = old[i];
	}
	free(old);
	return 0;
}

static errcode_t put_entry(struct names *names, const struct place *place,
			   uint32_t node)
{
	uint64_t hash = hash_of(place->dir, place->name, place->len);
	struct name_entry *e;
	errcode_t err;

	if (names->entries * 2 >= names->room) {
		err = grow_entries(names);
		if (err)
			return err;
	}
	e = entry_at(names, place, hash);
	names->entries += e->dir == NODE_NONE;
	*e = (struct name_entry){ hash, place->dir, node, place->len,
				  place->name };
	return 0;
}

static errcode_t look_up(struct names *names, const struct place *place,
			 uint32_t *node)
{
	ext2_filsys ext2 = names->scan->fs->ext2;
	ext2_ino_t ino = 0;
	errcode_t err;

	err = ext2fs_lookup(ext2, names->nodes.v[place->dir].ino, place->name,
			    (int)place->len, NULL, &ino);
	if (err && err != EXT2_ET_FILE_NOT_FOUND)
		return err;
	*node = NODE_NONE;
	if (!err && ino && ino <= ext2->super->s_inodes_count) {
		err = get_old(names, ino, place->dir, node);
		if (err)
			return err;
	}
	return put_entry(names, place, *node);
}

errcode_t e2s_sim_names_get(struct names *names, const struct place *place,
		    uint32_t *node)
{
	const struct node *dir = &names->nodes.v[place->dir];
	const struct name_entry *e = NULL;

	if (names->room)
		e = entry_at(names, place, hash_of(place->dir, place->name,
						   place->len));
	if (e && e->dir != NODE_NONE) {
		*node = e->node;
		return 0;
	}
	*node = NODE_NONE;
	return dir->is_new || !dir->ino ? 0 : look_up(names, place, node);
}

errcode_t e2s_sim_names_set(struct names *names, const struct place *place,
		    uint32_t node)
{
	struct node *dir = &names->nodes.v[place->dir];
	uint32_t before;
	errcode_t err;

	err = e2s_sim_names_get(names, place, &before);
	if (!err)
		err = put_entry(names, place, node);
	if (err)
		return err;
	dir->names += (node != NODE_NONE);
	dir->names -= (before != NODE_NONE);
	return 0;
}

errcode_t e2s_sim_names_place(struct names *names, const char *path,
			      struct place *ret)
{
	uint32_t node = 0;
	errcode_t err;
	size_t len;

	*ret = (struct place){ .dir = NODE_NONE };
	for (;; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len)
			return ret->dir == NODE_NONE ? E2S_ET_TRACE_IS_DIR : 0;
		if (ret->dir != NODE_NONE) {
			err = e2s_sim_names_get(names, ret, &node);
			if (err)
				return err;
			if (node == NODE_NONE)
				return E2S_ET_TRACE_MISSING;
		}
		if (names->nodes.v[node].dir == E2S_DIR_NONE)
			return E2S_ET_TRACE_NOT_DIR;
		if (len > EXT2_NAME_LEN || (*path == '.' && len == 1) ||
		    (path[0] == '.' && path[1] == '.' && len == 2))
			return E2S_ET_TRACE_PATH;
		*ret = (struct place){ node, (uint32_t)len, path };
	}
}

errcode_t e2s_sim_names_open(struct names *names, const struct e2s_scan *scan)
{
	struct node root = { .ino = EXT2_ROOT_INO };
	uint32_t node;

	*names = (struct names){ .scan = scan };
	root.dir = e2s_scan_dir_number(scan, EXT2_ROOT_INO);
	if (root.dir == E2S_DIR_NONE)
		return E2S_ET_NO_PARENT;
	return e2s_sim_names_add_node(names, &root, &node);
}

void e2s_sim_names_close(struct names *names)
{
	free(names->nodes.v);
	free(names->entry);
	free(names->node_of);
	*names = (struct names){ 0 };
}
