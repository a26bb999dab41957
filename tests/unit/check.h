/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For unit tests: what fails is said and counted, and the rest goes on. */
#ifndef E2S_TESTS_CHECK_H
#define E2S_TESTS_CHECK_H

#include <stdio.h>

static int failures;

#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("%s:%d: %s\n", __func__, __LINE__, #cond); \
			failures++;					\
		}							\
	} while (0)

#endif
