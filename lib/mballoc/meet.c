/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks that allocate at once: a discrete simulation.
 *
 * Each task is somewhere in one request; what it does next takes a number of
 * steps, and the task with the lowest time (then the lowest number) goes next.
 * Group locks are the kernel's: NR_BG_LOCKS of them, shared by groups whose
 * numbers are equal modulo that; waiters get a lock in the order they came.
 */
#include <errno.h>
#include <stdlib.h>

#include "mballoc/internal.h"

#define NR_BG_LOCKS 128
#define NOBODY UINT32_MAX

enum phase { NEXT_REQUEST, LOOK, TRY, HOLD, DONE };
enum purpose { SCAN, BEST, MARK };	/* what the lock is wanted for */

struct task {
	struct mb_context ac;
	uint64_t now;
	uint64_t since;			/* waiting for a lock since */
	enum phase phase;
	enum purpose purpose;
	uint32_t group;			/* whose lock it wants or holds */
	uint32_t left;			/* requests still to make */
	uint32_t behind;		/* next in the queue for the lock */
	int again;			/* search anew after BEST */
};

struct lock {
	uint32_t holder, first, last;	/* tasks, or NOBODY */
};

struct meeting {
	const struct e2s_mballoc_tasks *opts;
	struct e2s_mballoc_meeting *out;
	struct e2s_mballoc_state *state;
	struct task *task;
	uint32_t *heap, heap_n;		/* tasks that wait for nothing */
	struct lock lock[NR_BG_LOCKS];
	uint8_t *met, *used;		/* bitmaps of groups */
};

static int before(const struct meeting *m, uint32_t a, uint32_t b)
{
	if (m->task[a].now != m->task[b].now)
		return m->task[a].now < m->task[b].now;
	return a < b;
}

static void heap_push(struct meeting *m, uint32_t task)
{
	uint32_t at = m->heap_n++;

	for (; at && before(m, task, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
		m->heap[at] = m->heap[(at - 1) / 2];
	m->heap[at] = task;
}

static uint32_t heap_pop(struct meeting *m)
{
	uint32_t top = m->heap[0], task = m->heap[--m->heap_n];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < m->heap_n) {
		if (child + 1 < m->heap_n &&
		    before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], task))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = task;
	return top;
}

static struct lock *lock_of(struct meeting *m, uint32_t group)
{
	return &m->lock[group % NR_BG_LOCKS];
}

static uint32_t count_once(uint8_t *bits, uint32_t group)
{
	if (mb_test_bit(group, bits))
		return 0;
	mb_set_bit(group, bits);
	return 1;
}

/* TASK wants a group whose lock somebody holds. */
static void note_meeting(struct meeting *m, const struct task *task)
{
	const struct lock *lock = lock_of(m, task->group);

	m->out->groups_met += count_once(m->met, task->group);
	if (m->task[lock->holder].group != task->group)
		m->out->aliases++;
}

static int may_skip(const struct meeting *m, const struct task *task)
{
	return m->opts->skip_busy && task->purpose == SCAN &&
	       task->ac.criteria < CR_ANY_FREE;
}

static void skip(struct meeting *m, struct task *task)
{
	note_meeting(m, task);
	m->out->tries++;
	m->out->skips++;
	task->phase = LOOK;
}

static void want_lock(struct task *task, enum purpose purpose, uint32_t group)
{
	task->purpose = purpose;
	task->group = group;
	task->phase = TRY;
}

static void start_request(struct meeting *m, struct task *task)
{
	const struct e2s_mballoc_tasks *opts = m->opts;
	struct e2s_mballoc_request request = {
		.len = opts->len, .goal = opts->goal, .stream = opts->stream };

	if (!task->left--) {
		task->phase = DONE;
		if (task->now > m->out->steps)
			m->out->steps = task->now;
		return;
	}
	if (opts->stream)
		request.slot = (uint32_t)(task - m->task) %
			       m->state->search.slots;
	e2s_mb_initialize_context(&task->ac, m->state, &request,
				   &m->out->cost);
	task->phase = LOOK;
}

static void end_request(struct meeting *m, struct task *task)
{
	if (task->ac.status != AC_STATUS_FOUND)
		m->out->failed++;
	task->now += m->opts->pause_steps;
	task->phase = NEXT_REQUEST;
}

/* One group, looked at without its lock. */
static void look(struct meeting *m, struct task *task)
{
	struct mb_context *ac = &task->ac;
	uint32_t group;

	task->now += m->opts->look_steps;
	if (!e2s_mb_next_group(ac, &group)) {
		if (ac->b_ex.len && !ac->first)
			want_lock(task, BEST, ac->b_ex.group);
		else
			end_request(m, task);
		return;
	}
	want_lock(task, SCAN, group);
	if (may_skip(m, task) && lock_of(m, group)->holder != NOBODY)
		skip(m, task);
	else if (!e2s_mb_good_group_nolock(ac, group))
		task->phase = LOOK;
}

/* TASK has just got the lock: does its work, and will hold it for a while. */
static errcode_t work_locked(struct meeting *m, struct task *task,
			     struct e2s_where *where)
{
	errcode_t err = 0;

	task->phase = HOLD;
	if (task->purpose == MARK) {
		m->out->requests++;
		m->out->clusters += task->ac.b_ex.len;
		m->out->groups_used += count_once(m->used, task->group);
		task->now += m->opts->mark_steps;
	} else if (task->purpose == BEST) {
		err = e2s_mb_try_best_found(&task->ac, &task->again, where);
		task->now += m->opts->hold_steps;
	} else if (e2s_mb_good_group(&task->ac, task->group)) {
		err = e2s_mb_scan_group_locked(&task->ac, task->group, where);
		task->now += m->opts->hold_steps;
	} else {
		m->out->in_vain++;
		task->now += m->opts->look_steps;
	}
	return err;
}

/* Returns 1 when TASK must wait: it is then in the lock's queue. */
static int try_lock(struct meeting *m, struct task *task)
{
	struct lock *lock = lock_of(m, task->group);
	uint32_t number = (uint32_t)(task - m->task);

	if (lock->holder == NOBODY) {
		m->out->tries++;
		lock->holder = number;
		return 0;
	}
	if (may_skip(m, task)) {
		skip(m, task);
		return 0;
	}
	note_meeting(m, task);
	m->out->tries++;
	m->out->waits++;
	task->since = task->now;
	task->behind = NOBODY;
	if (lock->first == NOBODY)
		lock->first = number;
	else
		m->task[lock->last].behind = number;
	lock->last = number;
	return 1;
}

/* Hands the lock to who has waited longest. */
static errcode_t unlock(struct meeting *m, struct task *task,
			struct e2s_where *where)
{
	struct lock *lock = lock_of(m, task->group);
	struct task *heir;
	errcode_t err;

	lock->holder = lock->first;
	if (lock->first == NOBODY)
		return 0;
	heir = &m->task[lock->first];
	lock->first = heir->behind;
	m->out->wait_steps += task->now - heir->since;
	heir->now = task->now;
	err = work_locked(m, heir, where);
	heap_push(m, lock->holder);
	return err;
}

static errcode_t release(struct meeting *m, struct task *task,
			 struct e2s_where *where)
{
	errcode_t err = unlock(m, task, where);

	if (task->purpose == MARK)
		end_request(m, task);
	else if (task->ac.status == AC_STATUS_FOUND)
		want_lock(task, MARK, task->ac.b_ex.group);
	else if (task->purpose == BEST && !task->again)
		end_request(m, task);
	else
		task->phase = LOOK;
	return err;
}

/* TASK's next move; *WAITS when it must wait for another's. */
static errcode_t move(struct meeting *m, struct task *task, int *waits,
		      struct e2s_where *where)
{
	switch (task->phase) {
	case NEXT_REQUEST:
		start_request(m, task);
		return 0;
	case LOOK:
		look(m, task);
		return 0;
	case TRY:
		*waits = try_lock(m, task);
		if (*waits || task->phase != TRY)
			return 0;
		return work_locked(m, task, where);
	case HOLD:
		return release(m, task, where);
	case DONE:
		break;
	}
	return 0;
}

static errcode_t run(struct meeting *m, struct e2s_where *where)
{
	uint32_t number;
	struct task *task;
	errcode_t err = 0;
	int waits;

	while (!err && m->heap_n) {
		number = heap_pop(m);
		task = &m->task[number];
		do {
			waits = 0;
			err = move(m, task, &waits, where);
		} while (!err && !waits && task->phase != DONE &&
			 (!m->heap_n || before(m, number, m->heap[0])));
		if (!waits && task->phase != DONE)
			heap_push(m, number);
	}
	return err;
}

errcode_t e2s_mballoc_meet(const struct e2s_mballoc *mb,
			   const struct e2s_mballoc_search *search,
			   const struct e2s_mballoc_tasks *tasks,
			   struct e2s_mballoc_meeting *ret,
			   struct e2s_where *where)
{
	struct meeting m = { .opts = tasks, .out = ret };
	size_t bytes = mb->layout.groups / 8 + 1;
	uint32_t i;
	errcode_t err;

	memset(ret, 0, sizeof(*ret));
	err = e2s_mballoc_state_new(mb, search, &m.state);
	if (err)
		return err;
	m.task = calloc(tasks->tasks, sizeof(*m.task));
	m.heap = calloc(tasks->tasks, sizeof(*m.heap));
	m.met = calloc(1, bytes);
	m.used = calloc(1, bytes);
	err = ENOMEM;
	if (!m.task || !m.heap || !m.met || !m.used)
		goto out;
	for (i = 0; i < NR_BG_LOCKS; i++)
		m.lock[i] = (struct lock){ NOBODY, NOBODY, NOBODY };
	for (i = 0; i < tasks->tasks; i++) {
		m.task[i].left = tasks->requests;
		heap_push(&m, i);
	}
	err = run(&m, where);
out:
	e2s_mballoc_state_free(m.state);
	free(m.task);
	free(m.heap);
	free(m.met);
	free(m.used);
	return err;
}
