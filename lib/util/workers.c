/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/util.h"

struct pool {
	e2s_work_fn fn;
	void *ctx;
	uint64_t items;
	_Atomic uint64_t next;
	pthread_mutex_t lock;		/* guards what follows */
	uint64_t failed_item;
	errcode_t err;
	struct e2s_where where;
};

struct worker {
	struct pool *pool;
	unsigned number;
	pthread_t thread;
};

unsigned e2s_workers_default(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > 64 ? 64 : (unsigned)n;
}

static void note_failure(struct pool *pool, uint64_t item, errcode_t err,
			 const struct e2s_where *where)
{
	pthread_mutex_lock(&pool->lock);
	if (!pool->err || item < pool->failed_item) {
		pool->err = err;
		pool->failed_item = item;
		pool->where = *where;
	}
	pthread_mutex_unlock(&pool->lock);
	/* Items below this one have all been started; start no more. */
	atomic_store(&pool->next, pool->items);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct pool *pool = worker->pool;
	struct e2s_where where;
	uint64_t item = atomic_load(&pool->next);
	errcode_t err;

	for (;;) {
		do {
			if (item >= pool->items)
				return NULL;
		} while (!atomic_compare_exchange_weak(&pool->next, &item,
						       item + 1));
		where = (struct e2s_where){ 0 };
		err = pool->fn(pool->ctx, item, worker->number, &where);
		if (err)
			note_failure(pool, item, err, &where);
		item = atomic_load(&pool->next);
	}
}

errcode_t e2s_workers_run(unsigned threads, uint64_t items, e2s_work_fn fn,
			  void *ctx, struct e2s_where *where)
{
	struct pool pool = { .fn = fn, .ctx = ctx, .items = items,
			     .lock = PTHREAD_MUTEX_INITIALIZER };
	struct worker *workers;
	unsigned i, started = 1;

	if (threads > items)
		threads = items ? (unsigned)items : 1;
	if (threads < 1)
		threads = 1;
	workers = calloc(threads, sizeof(*workers));
	if (!workers)
		return ENOMEM;
	for (i = 0; i < threads; i++) {
		workers[i].pool = &pool;
		workers[i].number = i;
	}
	/* With fewer threads than asked for the outcome is the same. */
	while (started < threads &&
	       !pthread_create(&workers[started].thread, NULL, work,
			       &workers[started]))
		started++;
	work(&workers[0]);
	for (i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
	pthread_mutex_destroy(&pool.lock);
	if (pool.err && where)
		*where = pool.where;
	return pool.err;
}
