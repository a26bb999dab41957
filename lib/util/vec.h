/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vec: growing arrays.  Declare one with E2S_VEC(type); all zero is empty, and
 * free(vec.v) frees it.
 */
#ifndef E2S_UTIL_VEC_H
#define E2S_UTIL_VEC_H

#include <stddef.h>

#include <et/com_err.h>

#define E2S_VEC(type) struct { type *v; size_t n, room; }

/*
 * Makes room for MORE further elements of SIZE bytes behind the *N of *V.
 * Returns ENOMEM, the array untouched, when there is no memory.
 */
errcode_t e2s_vec_grow(void **v, size_t n, size_t *room, size_t more,
		       size_t size);

/* Room for MORE elements behind vec->n. */
#define e2s_vec_reserve(vec, more)					\
	e2s_vec_grow((void **)&(vec)->v, (vec)->n, &(vec)->room, (more),	\
		     sizeof(*(vec)->v))

#endif
