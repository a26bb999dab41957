/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds ialloc to the layouts that real kernels made, tests/oracle/, or to one:
 *
 *	ialloc_oracle [IMAGE POLICY MAP [move-dirs]]
 *
 * Scans an image with plain libext2fs calls, takes the files out (with
 * move-dirs the directories, too), puts them back in order of creation, and
 * compares the number of every name with the map.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	       ino == super->s_usr_quota_inum ||
	       ino == super->s_grp_quota_inum ||
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

static void read_map(struct tree *tree, FILE *file)
{
	char *line = NULL, *tab;
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		tab = strchr(line, '\t');
		if (!tab)
			die("map", EINVAL);
		*tab = '\0';
		check("map", e2s_vec_reserve(&tree->wants, 1));
		tree->wants.v[tree->wants.n].path = strdup(line);
		tree->wants.v[tree->wants.n++].ino = strtoul(tab + 1, NULL, 10);
	}
	free(line);
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

static size_t count_agreeing(struct tree *tree)
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
		agree += want && want->ino == node->new_ino;
		free(key.path);
	}
	return agree;
}

static void free_tree(struct tree *tree)
{
	size_t i;

	for (i = 0; i < tree->names.n; i++)
		free(tree->names.v[i].name);
	for (i = 0; i < tree->wants.n; i++)
		free(tree->wants.v[i].path);
	free(tree->nodes.v);
	free(tree->names.v);
	free(tree->wants.v);
}

/* Returns per cent of names that agree: 100 only if all do. */
static unsigned run_one(const char *image, const char *policy, FILE *map,
			int move_dirs)
{
	struct tree tree = { 0 };
	size_t agree, names;

	if (!e2s_ialloc_policy_find(policy))
		die(policy, EINVAL);
	check(image, ext2fs_open(image, EXT2_FLAG_64BITS, 0, 0, unix_io_manager,
				 &tree.ext2));
	read_map(&tree, map);
	scan_inodes(&tree);
	scan_names(&tree);
	ext2fs_close(tree.ext2);
	replay(&tree, image, e2s_ialloc_policy_find(policy), move_dirs);
	agree = count_agreeing(&tree);
	names = tree.wants.n > tree.names.n ? tree.wants.n : tree.names.n;
	free_tree(&tree);
	if (!names)
		die("map is empty", EINVAL);
	printf("%zu of %zu names agree\n", agree, names);
	return (unsigned)(agree * 100 / names);
}

/* How many groups hold a file under POLICY. */
static size_t count_groups(const char *image, const char *policy)
{
	struct tree tree = { 0 };
	char used[64] = { 0 };
	size_t i, groups = 0;
	uint32_t per_group;

	check(image, ext2fs_open(image, EXT2_FLAG_64BITS, 0, 0, unix_io_manager,
				 &tree.ext2));
	per_group = tree.ext2->super->s_inodes_per_group;
	scan_inodes(&tree);
	scan_names(&tree);
	ext2fs_close(tree.ext2);
	replay(&tree, image, e2s_ialloc_policy_find(policy), 0);
	for (i = 0; i < tree.nodes.n; i++)
		if (!tree.nodes.v[i].is_dir && tree.nodes.v[i].moves)
			used[(tree.nodes.v[i].new_ino - 1) / per_group %
			     sizeof(used)] = 1;
	free_tree(&tree);
	for (i = 0; i < sizeof(used); i++)
		groups += used[i];
	printf("%s: %zu groups hold a file\n", policy, groups);
	return groups;
}

/*
 * Per cent of replay.map that must agree.  Where files were made and deleted
 * again, or the order within a clock tick decides, the history is lost with
 * them; the number is then what it comes to, to see it change.
 */
static const struct {
	const char *name;
	unsigned replay;
} layouts[] = {
	{ "rr16", 100 }, { "overflow", 68 }, { "g4", 78 }, { "lastflex", 100 },
	{ "kinds", 100 }, { "b1k", 100 }, { "refill", 13 }, { "tree", 100 },
	{ "stride", 100 },
};

static unsigned run_map(const char *layout, const char *map, const char *policy,
			int move_dirs)
{
	char command[256];
	unsigned percent;
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "xz -dc \"$srcdir/tests/oracle/%s/%s.map.xz\"", layout, map);
	pipe = popen(command, "r");
	if (!pipe)
		die(command, errno);
	printf("%s %s: ", layout, map);
	percent = run_one("before.img", policy, pipe, move_dirs);
	pclose(pipe);
	return percent;
}

static int run_layouts(void)
{
	char command[256];
	int failed = 0;
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		snprintf(command, sizeof(command),
			 "tar -xSJf \"$srcdir/tests/oracle/%s/before.tar.xz\"",
			 layouts[i].name);
		if (system(command))
			die(command, EIO);
		failed |= run_map(layouts[i].name, "packed", "packed", 0) < 100;
		failed |= run_map(layouts[i].name, "spread", "spread", 0) < 100;
		failed |= run_map(layouts[i].name, "replay", "spread", 1) <
			  layouts[i].replay;
		/* All its directories' numbers are the same modulo 16. */
		if (!strcmp(layouts[i].name, "stride"))
			failed |= count_groups("before.img", "spread") != 1 ||
				  count_groups("before.img", "balanced") != 16;
		unlink("before.img");
	}
	return failed;
}

int main(int argc, char **argv)
{
	unsigned percent;
	FILE *map;

	initialize_ext2_error_table();
	initialize_e2s_error_table();
	setenv("srcdir", ".", 0);
	if (argc == 1)
		return run_layouts();
	if (argc < 4) {
		fputs("ialloc_oracle [IMAGE POLICY MAP [move-dirs]]\n",
		      stderr);
		return 16;
	}
	map = fopen(argv[3], "r");
	if (!map)
		die(argv[3], errno);
	percent = run_one(argv[1], argv[2], map,
			  argc > 4 && !strcmp(argv[4], "move-dirs"));
	fclose(map);
	return percent < 100;
}
