/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds ialloc to a layout that a real kernel made:
 *
 *	ialloc_oracle IMAGE POLICY MAP [move-dirs] [share]
 *
 * Scans IMAGE with plain libext2fs calls, takes the files out (with move-dirs
 * the directories, too), puts them back in order of creation, and compares the
 * number of every name with MAP.  Prints "N of M names agree"; exit 1 unless
 * all do, or `share` only wants to know.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ialloc/ialloc.h"

struct node {
	uint32_t ino, new_ino;
	uint32_t home;			/* lowest-numbered parent, 0: none */
	uint64_t crtime;		/* ns */
	char is_dir, moves, placed;
	const char *name;		/* of a directory */
	struct e2s_ialloc_dir dir;
};

struct name {
	uint32_t parent, ino;
	char *name;
};

struct want {
	char *path;
	uint32_t ino;
};

struct tree {
	ext2_filsys ext2;
	E2S_VEC(struct node) nodes;	/* by inode number */
	E2S_VEC(struct name) names;
	E2S_VEC(struct want) wants;	/* by path */
	errcode_t err;
};

static void die(const char *what, errcode_t err)
{
	fprintf(stderr, "ialloc_oracle: %s: %s\n", what, error_message(err));
	exit(8);
}

static void check(const char *what, errcode_t err)
{
	if (err)
		die(what, err);
}

static int by_ino(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int by_creation(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a;
	const struct node *y = *(struct node *const *)b;

	if (x->crtime != y->crtime)
		return x->crtime < y->crtime ? -1 : 1;
	return by_ino(x, y);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct want *)a)->path,
		      ((const struct want *)b)->path);
}

static struct node *find_node(struct tree *tree, uint32_t ino)
{
	struct node key = { .ino = ino };

	return bsearch(&key, tree->nodes.v, tree->nodes.n, sizeof(key), by_ino);
}

static uint64_t crtime_of(const struct ext2_super_block *super,
			  const struct ext2_inode_large *inode)
{
	uint64_t sec;

	if (EXT2_INODE_SIZE(super) <= EXT2_GOOD_OLD_INODE_SIZE ||
	    inode->i_extra_isize < 24)
		return 0;
	sec = inode->i_crtime + ((uint64_t)(inode->i_crtime_extra & 3) << 32);
	return sec * 1000000000 + (inode->i_crtime_extra >> 2);
}

static int is_special(const struct ext2_super_block *super, uint32_t ino,
		      const struct ext2_inode *inode)
{
	return (ino < EXT2_FIRST_INO(super) && ino != EXT2_ROOT_INO) ||
	       ino == super->s_journal_inum || ino == super->s_prj_quota_inum ||
	       ino == super->s_usr_quota_inum || ino == super->s_grp_quota_inum ||
	       ino == super->s_orphan_file_inum ||
	       (inode->i_flags & EXT4_EA_INODE_FL);
}

static void add_node(struct tree *tree, uint32_t ino,
		     const struct ext2_inode_large *inode)
{
	struct node *node;

	check("nodes", e2s_vec_reserve(&tree->nodes, 1));
	node = &tree->nodes.v[tree->nodes.n++];
	memset(node, 0, sizeof(*node));
	node->ino = node->new_ino = ino;
	node->crtime = crtime_of(tree->ext2->super, inode);
	node->is_dir = LINUX_S_ISDIR(inode->i_mode);
	node->dir = e2s_ialloc_dir_init(ino);
	if (inode->i_flags & EXT2_TOPDIR_FL)
		node->dir.top = 1;
	if (inode->i_flags & EXT4_CASEFOLD_FL)
		node->dir.casefold = 1;
}

static void scan_inodes(struct tree *tree)
{
	union {
		struct ext2_inode small;
		struct ext2_inode_large large;
		char room[EXT2_MAX_BLOCK_SIZE];
	} *inode = calloc(1, sizeof(*inode));
	ext2_inode_scan scan;
	ext2_ino_t ino;

	if (!inode)
		die("inode", ENOMEM);
	check("open scan", ext2fs_open_inode_scan(tree->ext2, 0, &scan));
	for (;;) {
		check("scan", ext2fs_get_next_inode_full(scan, &ino,
				&inode->small, sizeof(inode->room)));
		if (!ino)
			break;
		if (inode->small.i_links_count &&
		    !is_special(tree->ext2->super, ino, &inode->small))
			add_node(tree, ino, &inode->large);
	}
	ext2fs_close_inode_scan(scan);
	free(inode);
}

static int add_name(ext2_ino_t dir, int entry, struct ext2_dir_entry *dirent,
		    int offset, int blocksize, char *buf, void *private)
{
	struct tree *tree = private;
	int len = ext2fs_dirent_name_len(dirent);
	struct name *name;

	(void)entry, (void)offset, (void)blocksize, (void)buf;
	/* ENTRY does not tell ".." apart in a directory with inline data. */
	if (dirent->name[0] == '.' &&
	    (len == 1 || (len == 2 && dirent->name[1] == '.')))
		return 0;
	tree->err = e2s_vec_reserve(&tree->names, 1);
	if (tree->err)
		return DIRENT_ABORT;
	name = &tree->names.v[tree->names.n++];
	name->parent = dir;
	name->ino = dirent->inode;
	name->name = strndup(dirent->name, len);
	return 0;
}

static void scan_names(struct tree *tree)
{
	struct node *node;
	size_t i;

	for (i = 0; i < tree->nodes.n; i++)
		if (tree->nodes.v[i].is_dir) {
			check("directory", ext2fs_dir_iterate2(tree->ext2,
				tree->nodes.v[i].ino, 0, NULL, add_name, tree));
			check("names", tree->err);
		}
	for (i = 0; i < tree->names.n; i++) {
		node = find_node(tree, tree->names.v[i].ino);
		if (!node)
			die(tree->names.v[i].name, EXT2_ET_FILE_NOT_FOUND);
		if (!node->home || tree->names.v[i].parent < node->home)
			node->home = tree->names.v[i].parent;
		node->name = tree->names.v[i].name;
	}
}

static void read_map(struct tree *tree, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL, *tab;
	size_t room = 0;

	if (!file)
		die(path, errno);
	while (getline(&line, &room, file) > 0) {
		tab = strchr(line, '\t');
		if (!tab)
			die(path, EINVAL);
		*tab = '\0';
		check("map", e2s_vec_reserve(&tree->wants, 1));
		tree->wants.v[tree->wants.n].path = strdup(line);
		tree->wants.v[tree->wants.n++].ino = strtoul(tab + 1, NULL, 10);
	}
	free(line);
	fclose(file);
	qsort(tree->wants.v, tree->wants.n, sizeof(struct want), by_path);
}

/* Parents go first, even where a rename made them younger. */
static void place(struct tree *tree, struct e2s_ialloc *ia,
		  const struct e2s_ialloc_policy *policy, struct node *node)
{
	struct node *parent = find_node(tree, node->home);
	struct e2s_ialloc_placed placed;
	struct e2s_ialloc_name subdir;

	if (!node->moves || node->placed)
		return;
	node->placed = 1;
	place(tree, ia, policy, parent);
	if (node->is_dir) {
		subdir.name = node->name;
		subdir.len = strlen(node->name);
	}
	check("new inode", e2s_ialloc_new_inode(ia, policy, &parent->dir,
				node->is_dir ? &subdir : NULL, &placed));
	node->new_ino = placed.ino;
	node->dir.ino = placed.ino;
}

static void replay(struct tree *tree, const char *image,
		   const struct e2s_ialloc_policy *policy, int move_dirs)
{
	size_t i, n = tree->nodes.n;
	struct node **order = calloc(n, sizeof(*order)), *node;
	struct e2s_ialloc *ia;
	struct e2s_fs *fs;

	if (!order)
		die("order", ENOMEM);
	check("open", e2s_fs_open(image, 0, &fs, NULL));
	check("load", e2s_ialloc_load(fs, &ia, NULL));
	e2s_fs_close(fs);
	for (i = 0; i < n; i++) {
		node = order[i] = &tree->nodes.v[i];
		if (!node->home || (node->is_dir && (!move_dirs ||
		    (node->home == EXT2_ROOT_INO &&
		     !strcmp(node->name, "lost+found")))))
			continue;
		node->moves = 1;
		check("release", e2s_ialloc_release(ia, node->ino, node->is_dir,
						    NULL));
	}
	qsort(order, n, sizeof(*order), by_creation);
	for (i = 0; i < n; i++)
		place(tree, ia, policy, order[i]);
	e2s_ialloc_free(ia);
	free(order);
}

static char *path_of(struct tree *tree, uint32_t parent, const char *name)
{
	struct node *dir = find_node(tree, parent);
	char *above, *path;

	if (parent == EXT2_ROOT_INO)
		above = strdup("");
	else
		above = path_of(tree, dir->home, dir->name);
	if (asprintf(&path, "%s/%s", above, name) < 0)
		die("path", ENOMEM);
	free(above);
	return path;
}

static size_t count_agreeing(struct tree *tree, int quiet)
{
	size_t i, agree = 0;
	struct want key, *want;
	struct node *node;

	for (i = 0; i < tree->names.n; i++) {
		node = find_node(tree, tree->names.v[i].ino);
		key.path = path_of(tree, tree->names.v[i].parent,
				   tree->names.v[i].name);
		want = bsearch(&key, tree->wants.v, tree->wants.n, sizeof(key),
			       by_path);
		if (want && want->ino == node->new_ino)
			agree++;
		else if (!quiet)
			fprintf(stderr, "%s: %u, not %u\n", key.path,
				node->new_ino, want ? want->ino : 0);
		free(key.path);
	}
	return agree;
}

int main(int argc, char **argv)
{
	const struct e2s_ialloc_policy *policy;
	struct tree tree = { 0 };
	int i, move_dirs = 0, share = 0;
	size_t agree;

	if (argc < 4)
		return 77;		/* tests/cases/ialloc-oracle.t runs it */
	initialize_ext2_error_table();
	initialize_e2s_error_table();
	for (i = 4; i < argc; i++) {
		move_dirs |= !strcmp(argv[i], "move-dirs");
		share |= !strcmp(argv[i], "share");
	}
	policy = e2s_ialloc_policy_find(argv[2]);
	if (!policy)
		die(argv[2], EINVAL);
	check(argv[1], ext2fs_open(argv[1], EXT2_FLAG_64BITS, 0, 0,
				   unix_io_manager, &tree.ext2));
	read_map(&tree, argv[3]);
	scan_inodes(&tree);
	scan_names(&tree);
	ext2fs_close(tree.ext2);
	replay(&tree, argv[1], policy, move_dirs);

	agree = count_agreeing(&tree, share);
	if (share)
		printf("%zu %% of %zu names agree\n",
		       agree * 100 / tree.wants.n, tree.wants.n);
	else
		printf("%zu of %zu names agree\n", agree, tree.wants.n);
	return !share && (agree != tree.wants.n || agree != tree.names.n);
}
