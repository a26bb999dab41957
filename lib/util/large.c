/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "util/util.h"

#define LARGE_PAGE ((size_t)2 << 20)

void *e2s_large_malloc(size_t size)
{
	void *p;

	if (size < LARGE_PAGE)
		return malloc(size);
	if (size > SIZE_MAX - LARGE_PAGE)
		return NULL;
	size = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	if (posix_memalign(&p, LARGE_PAGE, size))
		return NULL;
#ifdef MADV_HUGEPAGE
	madvise(p, size, MADV_HUGEPAGE);	/* a hint, no more */
#endif
	return p;
}
