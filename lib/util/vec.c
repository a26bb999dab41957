/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "util/util.h"

errcode_t e2s_vec_grow(void **v, size_t n, size_t *room, size_t more,
		       size_t size)
{
	size_t want = n + more, next = *room + *room / 2;
	void *p;

	if (want <= *room)
		return 0;
	if (next < want)
		next = want;
	if (next < 16)
		next = 16;
	if (want < n || next > SIZE_MAX / size)
		return ENOMEM;
	p = *v ? realloc(*v, next * size) : e2s_large_malloc(next * size);
	if (!p)
		return ENOMEM;
	*v = p;
	*room = next;
	return 0;
}
