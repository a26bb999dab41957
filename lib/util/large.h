/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * large: memory by the megabyte.  Freed with free().
 *
 * The system is asked for large pages: an array of megabytes that is used once
 * costs more time in page faults, of 4 KiB each, than anything else.
 */
#ifndef E2S_UTIL_LARGE_H
#define E2S_UTIL_LARGE_H

#include <stddef.h>

/* As malloc(3); of any size, small ones as usual. */
void *e2s_large_malloc(size_t size);

#endif
