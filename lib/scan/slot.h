/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slot: what an inode of the inode table is, in one word; and the layout that
 * all slots together are.
 *
 *     31 30 29                          0
 *     | tag | number of a directory     |
 *
 *     0     0: free; 1: in use but without a home (reserved, quota, journal,
 *           orphan file, EA inode)
 *     1     a file; the number is that of its home plus one, 0 when no
 *           directory names it
 *     2     a directory; the number is its own
 */
#ifndef E2S_SCAN_SLOT_H
#define E2S_SCAN_SLOT_H

#include <stdint.h>

typedef uint32_t e2s_slot;

#define E2S_SLOT_FREE 0u
#define E2S_SLOT_SPECIAL 1u
#define E2S_SLOT_FILE (1u << 30)
#define E2S_SLOT_DIR (2u << 30)
#define E2S_SLOT_TAG (3u << 30)
#define E2S_SLOT_NUMBER (E2S_SLOT_FILE - 1)

/* Directories that can be numbered: one number is "none", one is spare. */
#define E2S_DIRS_MAX (E2S_SLOT_NUMBER - 1)

static inline int e2s_slot_is_file(e2s_slot slot)
{
	return (slot & E2S_SLOT_TAG) == E2S_SLOT_FILE;
}

static inline int e2s_slot_is_dir(e2s_slot slot)
{
	return (slot & E2S_SLOT_TAG) == E2S_SLOT_DIR;
}

/* A file that some directory names, and so has a home. */
static inline int e2s_slot_has_home(e2s_slot slot)
{
	return slot > E2S_SLOT_FILE && slot < E2S_SLOT_DIR;
}

static inline uint32_t e2s_slot_home(e2s_slot slot)
{
	return (slot & E2S_SLOT_NUMBER) - 1;
}

static inline uint32_t e2s_slot_dir(e2s_slot slot)
{
	return slot & E2S_SLOT_NUMBER;
}

/*
 * A layout: what every slot of every inode table is, up to each group's
 * high-water mark.  Groups whose table was never used have no slots.
 */
struct e2s_layout {
	e2s_slot **slots;	/* [group][index < used[group]], or NULL */
	uint32_t *used;		/* [group] slots up to the high-water mark */
};

#endif
