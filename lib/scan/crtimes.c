/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "scan/crtimes.h"

static int older_first(const void *a, const void *b)
{
	const struct e2s_crtime *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int is_sorted(const struct e2s_crtime *v, uint32_t n)
{
	uint32_t i;

	for (i = 1; i < n; i++)
		if (older_first(&v[i - 1], &v[i]) > 0)
			return 0;
	return 1;
}

static uint8_t *put_number(uint8_t *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

size_t e2s_crtimes_pack(struct e2s_crtime *v, uint32_t n, uint8_t *bytes)
{
	struct e2s_crtime last = { .index = UINT32_MAX };
	uint8_t *to = bytes, more;
	uint32_t i, jump;
	uint64_t time;

	if (!is_sorted(v, n))
		qsort(v, n, sizeof(*v), older_first);
	for (i = 0; i < n; last = v[i++]) {
		time = v[i].time - last.time;
		jump = v[i].index - last.index;
		more = time >> 6 ? 0x80 : 0;
		*to++ = (uint8_t)(more | (time & 0x3f) << 1 | (jump != 1));
		if (more)
			to = put_number(to, time >> 6);
		if (jump != 1)
			to = put_number(to, jump << 1 ^ -(jump >> 31));
	}
	return (size_t)(to - bytes);
}
