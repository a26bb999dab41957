/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names: who is called what while a trace runs.  What the trace does not say
 * comes from the file system, when it is first asked for.
 */
#ifndef E2S_SIM_NAMES_H
#define E2S_SIM_NAMES_H

#include "scan/scan.h"

#define NODE_NONE UINT32_MAX

/* An inode that the trace has named. */
struct node {
	uint32_t ino;			/* 0: there was no inode left for it */
	uint32_t dir;			/* number of a directory, else
					 * E2S_DIR_NONE */
	uint32_t links;			/* names of a file, */
	uint32_t names;			/* or in a directory */
	uint32_t parent;		/* node of a directory's parent */
	uint32_t home;			/* directory a file is charged to */
	int is_new;			/* of the workload's making */
};

struct name_entry {
	uint64_t hash;
	uint32_t dir;			/* node; NODE_NONE: free entry */
	uint32_t node;			/* NODE_NONE: known to be absent */
	uint32_t len;
	const char *name;		/* in the trace */
};

struct names {
	const struct e2s_scan *scan;
	E2S_VEC(struct node) nodes;	/* the first is the root */
	struct name_entry *entry;	/* a hash table */
	size_t entries, room;		/* room: a power of two */
	uint32_t *node_of;		/* old inodes: a hash table too, */
	size_t old, old_room;		/* of numbers into nodes */
};

/* A place for a name: the directory's node and the last component. */
struct place {
	uint32_t dir;
	uint32_t len;
	const char *name;
};

errcode_t e2s_sim_names_open(struct names *names, const struct e2s_scan *scan);
void e2s_sim_names_close(struct names *names);

/*
 * Splits PATH.  Returns E2S_ET_TRACE_MISSING or E2S_ET_TRACE_NOT_DIR for the
 * way there, E2S_ET_TRACE_IS_DIR for a path that is the root.
 */
errcode_t e2s_sim_names_place(struct names *names, const char *path,
			      struct place *ret);

/* The node at PLACE, or NODE_NONE. */
errcode_t e2s_sim_names_get(struct names *names, const struct place *place,
		    uint32_t *node);

/* Makes NODE the one at PLACE, NODE_NONE: nothing; counts the names. */
errcode_t e2s_sim_names_set(struct names *names, const struct place *place,
		    uint32_t node);

errcode_t e2s_sim_names_add_node(struct names *names, const struct node *node,
			 uint32_t *ret);

#endif
