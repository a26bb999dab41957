/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "util/util.h"

#define LARGE_PAGE ((uintptr_t)2 << 20)

/* Asks for large pages where whole ones lie inside; a hint, no more. */
static void *hint(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t start = (uintptr_t)p, end = start + size;

	start = (start + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	end &= ~(LARGE_PAGE - 1);
	if (p && start < end)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
#endif
	return p;
}

void *e2s_large_malloc(size_t size)
{
	return hint(malloc(size), size);
}

void *e2s_large_calloc(size_t n, size_t size)
{
	return hint(calloc(n, size), n * size);
}
