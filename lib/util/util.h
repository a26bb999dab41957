/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * util: what every module may use and that knows nothing of ext4: the error
 * table, the place of an error, threads, growing arrays, memory in large pieces,
 * a sort.
 */
#ifndef E2S_UTIL_UTIL_H
#define E2S_UTIL_UTIL_H

#include "util/arena.h"
#include "util/where.h"
#include "util/aside.h"
#include "util/large.h"
#include "util/portions.h"
#include "util/sort.h"
#include "util/vec.h"
#include "util/workers.h"

#endif
