/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase 6: the paths of the directories.
 *
 * Relies on the parent and name of each; leaves P.  What does not come from
 * the root gets a P of its own, so that the rest can still be summed up.
 */
#include "verify/internal.h"

enum { PATH_UNKNOWN, PATH_ON_THE_WAY, PATH_KNOWN };

static void fault(struct run *run, enum e2s_fault_kind kind, uint32_t ino)
{
	e2s_verify_note(run, &run->workers[0].sum, kind, 0, ino, 0);
}

static int is_root(const struct dir *dir)
{
	return dir->ino == EXT2_ROOT_INO;
}

static void start_path(struct dir *dir)
{
	dir->path = hash_words(HASH_ROOT, is_root(dir) ? 0 : 1, 0);
	dir->path_state = PATH_KNOWN;
}

/*
 * Climbs from the directory NUMBER to the first whose path is known, and goes
 * down again the way it came: each directory on it keeps the child it was
 * reached from in dir->mapped, which nobody needs any more.
 */
static void find_path(struct run *run, uint32_t number)
{
	struct dir *dirs = run->all.dirs.v, *dir = &dirs[number];
	uint32_t child = DIR_NONE;

	while (dir->path_state == PATH_UNKNOWN) {
		if (is_root(dir) || dir->parent == DIR_NONE) {
			start_path(dir);
			break;
		}
		dir->path_state = PATH_ON_THE_WAY;
		dir->mapped = child;
		child = (uint32_t)(dir - dirs);
		dir = &dirs[dir->parent];
	}
	if (dir->path_state == PATH_ON_THE_WAY) {
		fault(run, E2S_FAULT_DIR_LOOP, dir->ino);
		start_path(dir);	/* cut the loop here */
	}
	for (; child != DIR_NONE; child = dir->mapped) {
		dir = &dirs[child];
		if (dir->path_state == PATH_KNOWN)
			continue;	/* where the loop was cut */
		dir->path = hash_words(HASH_PATH, dirs[dir->parent].path,
				       dir->path);
		dir->path_state = PATH_KNOWN;
	}
}

static void check_dir(struct run *run, struct dir *dir)
{
	const struct ext2_super_block *super = run->fs->ext2->super;
	uint32_t parent = is_root(dir) ? EXT2_ROOT_INO :
			  dir->parent == DIR_NONE ? 0 :
			  run->all.dirs.v[dir->parent].ino;

	if (dir->names != !is_root(dir))
		fault(run, E2S_FAULT_DIR_NAMES, dir->ino);
	if (dir->dotdot != parent)
		fault(run, E2S_FAULT_DOTS, dir->ino);
	if (dir->links != dir->subdirs + 2 &&
	    !(dir->links == 1 && super->s_feature_ro_compat &
				 EXT4_FEATURE_RO_COMPAT_DIR_NLINK))
		fault(run, E2S_FAULT_DIR_LINKS, dir->ino);
}

errcode_t e2s_verify_paths(struct run *run, struct e2s_where *where)
{
	uint32_t i;

	(void)where;
	if (!run->all.dirs.n || !is_root(run->all.dirs.v))
		fault(run, E2S_FAULT_DIR_LOOP, EXT2_ROOT_INO);
	for (i = 0; i < run->all.dirs.n; i++) {
		find_path(run, i);
		check_dir(run, &run->all.dirs.v[i]);
	}
	return 0;
}
