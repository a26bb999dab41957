/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/util.h"

struct delivery {
	const struct e2s_portions *portions;
	unsigned slot;
};

static errcode_t deliver(void *ctx, struct e2s_where *where)
{
	const struct delivery *delivery = ctx;

	return delivery->portions->deliver(delivery->portions->ctx,
					   delivery->slot, where);
}

errcode_t e2s_portions_run(const struct e2s_portions *portions,
			   unsigned threads, struct e2s_where *where)
{
	struct delivery delivery = { .portions = portions };
	struct e2s_aside aside = { 0 };
	struct e2s_where place;
	unsigned slot = 0;
	errcode_t err, make_err;
	int made;

	for (;;) {
		made = 1;
		place = (struct e2s_where){ 0 };
		make_err = portions->make(portions->ctx, slot, &made, &place);
		err = e2s_aside_wait(&aside, where);
		if (err)
			return err;
		if (make_err && where)
			*where = place;
		if (make_err || !made)
			return make_err;
		delivery.slot = slot;
		e2s_aside_start(&aside, threads, deliver, &delivery);
		slot = !slot;
	}
}
