/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks and subdirectories of each directory, as two lists behind one another. */
#include <errno.h>
#include <stdlib.h>

#include "plan/batches.h"

/* Turns counts at [i + 1] into the starts of lists. */
static void sum_up(uint32_t *start, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		start[i + 1] += start[i];
}

/* Moves each start, which filling has advanced to the end, back. */
static void rewind_starts(uint32_t *start, uint32_t n)
{
	uint32_t i;

	for (i = n; i > 0; i--)
		start[i] = start[i - 1];
	start[0] = 0;
}

static int is_child(const struct e2s_scan *scan, uint32_t dir)
{
	return scan->dirs[dir].parent != dir &&
	       scan->dirs[dir].parent != E2S_DIR_NONE;
}

errcode_t e2s_family_new(const struct e2s_scan *scan, struct e2s_family *ret)
{
	uint32_t n = scan->dirs_n, i;
	size_t b;

	*ret = (struct e2s_family){ 0 };
	ret->block_start = calloc((size_t)n + 2, sizeof(*ret->block_start));
	ret->child_start = calloc((size_t)n + 2, sizeof(*ret->child_start));
	ret->blocks = malloc((scan->dir_blocks_n + 1) * sizeof(*ret->blocks));
	ret->children = malloc(((size_t)n + 1) * sizeof(*ret->children));
	if (!ret->block_start || !ret->child_start || !ret->blocks ||
	    !ret->children) {
		e2s_family_free(ret);
		return ENOMEM;
	}
	for (b = 0; b < scan->dir_blocks_n; b++)
		ret->block_start[scan->dir_blocks[b].dir + 1]++;
	for (i = 0; i < n; i++)
		if (is_child(scan, i))
			ret->child_start[scan->dirs[i].parent + 1]++;
	sum_up(ret->block_start, n);
	sum_up(ret->child_start, n);
	for (b = 0; b < scan->dir_blocks_n; b++)
		ret->blocks[ret->block_start[scan->dir_blocks[b].dir]++] =
			(uint32_t)b;
	for (i = 0; i < n; i++)
		if (is_child(scan, i))
			ret->children[ret->child_start
					      [scan->dirs[i].parent]++] = i;
	rewind_starts(ret->block_start, n);
	rewind_starts(ret->child_start, n);
	return 0;
}

e2s_place e2s_family_first_block(const struct e2s_scan *scan,
				 const struct e2s_family *family, uint32_t dir)
{
	uint32_t i = family->block_start[dir];

	while (i + 1 < family->block_start[dir + 1] &&
	       scan->dir_blocks[family->blocks[i]].lblk)
		i++;
	return family->blocks[i];
}

void e2s_family_free(struct e2s_family *family)
{
	free(family->block_start);
	free(family->blocks);
	free(family->child_start);
	free(family->children);
	*family = (struct e2s_family){ 0 };
}
