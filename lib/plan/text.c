/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan as text:
 *
 *     e2spread-plan 1
 *     uuid 11111111-2222-3333-4444-555555555555
 *     131090	139265
 *     ...
 *
 * The two words first, each once and in this order; then a move a line, the
 * number now and the new one.  Blanks and tabs separate; empty lines and what
 * follows a '#' do not count.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/internal.h"

#define MAGIC "e2spread-plan 1"
#define LINE_MAX_LEN 4096

static void uuid_text(const struct e2s_scan *scan, char text[37])
{
	const uint8_t *u = scan->fs->ext2->super->s_uuid;

	snprintf(text, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
		 "%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3], u[4], u[5],
		 u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
		 u[15]);
}

errcode_t e2s_plan_map_text(const struct e2s_plan *plan,
			    e2s_plan_write_fn write, void *ctx)
{
	uint32_t ino = 0;
	errcode_t err = 0;
	char line[32];
	int len;

	while (!err && (ino = e2s_plan_next_move(plan, ino))) {
		len = snprintf(line, sizeof(line), "%u\t%u\n", ino,
			       e2s_plan_new_ino(plan, ino));
		err = write(ctx, line, (size_t)len);
	}
	return err;
}

errcode_t e2s_plan_text(const struct e2s_plan *plan, e2s_plan_write_fn write,
			void *ctx)
{
	char head[128], uuid[37];
	errcode_t err;
	int len;

	uuid_text(plan->scan, uuid);
	len = snprintf(head, sizeof(head), MAGIC "\nuuid %s\n", uuid);
	err = write(ctx, head, (size_t)len);
	return err ? err : e2s_plan_map_text(plan, write, ctx);
}

/* --- reading --- */

struct move {
	uint32_t old;
	uint64_t line;
};

struct reader {
	struct e2s_plan *plan;
	FILE *stream;
	char line[LINE_MAX_LEN];
	char *words[3];		/* of the line; at most two make sense */
	unsigned words_n;
	uint64_t line_n;
	E2S_VEC(struct move) moves;
	struct e2s_where *where;
};

static errcode_t at_line(struct reader *r, errcode_t err)
{
	return e2s_where_line(r->where, err, r->line_n);
}

static void split_words(struct reader *r)
{
	char *at = r->line, *save = NULL, *word;

	at[strcspn(at, "#\n")] = '\0';
	r->words_n = 0;
	for (word = strtok_r(at, " \t\r", &save); word && r->words_n < 3;
	     word = strtok_r(NULL, " \t\r", &save))
		r->words[r->words_n++] = word;
}

/* The next line with words in it; words_n is 0 at the end. */
static errcode_t next_line(struct reader *r)
{
	size_t len;

	for (;;) {
		r->words_n = 0;
		if (!fgets(r->line, sizeof(r->line), r->stream))
			return ferror(r->stream) ? errno : 0;
		r->line_n++;
		len = strlen(r->line);
		if (!len || (r->line[len - 1] != '\n' && !feof(r->stream)))
			return at_line(r, E2S_ET_PLAN_SYNTAX);
		split_words(r);
		if (r->words_n)
			return 0;
	}
}

static errcode_t read_head(struct reader *r)
{
	char uuid[37];
	errcode_t err;

	err = next_line(r);
	if (err)
		return err;
	r->line_n += !r->words_n;	/* at the end: the line that is missing */
	if (r->words_n != 2 || strcmp(r->words[0], "e2spread-plan") ||
	    strcmp(r->words[1], "1"))
		return at_line(r, E2S_ET_PLAN_MAGIC);
	err = next_line(r);
	if (err)
		return err;
	r->line_n += !r->words_n;
	if (r->words_n != 2 || strcmp(r->words[0], "uuid"))
		return at_line(r, E2S_ET_PLAN_SYNTAX);
	uuid_text(r->plan->scan, uuid);
	return strcasecmp(r->words[1], uuid) ? at_line(r, E2S_ET_PLAN_UUID) : 0;
}

static int parse_ino(const char *word, uint32_t *ino)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)word[0]))
		return 0;
	errno = 0;
	n = strtoull(word, &end, 10);
	if (errno || *end || !n || n > UINT32_MAX)
		return 0;
	*ino = (uint32_t)n;
	return 1;
}

static errcode_t read_move(struct reader *r)
{
	const struct e2s_geometry *geo = &r->plan->scan->fs->geo;
	uint32_t old, new_ino, *slot;
	errcode_t err;

	if (r->words_n != 2 || !parse_ino(r->words[0], &old) ||
	    !parse_ino(r->words[1], &new_ino))
		return at_line(r, E2S_ET_PLAN_SYNTAX);
	if (old > geo->inodes || new_ino > geo->inodes ||
	    new_ino < geo->first_ino)
		return at_line(r, E2S_ET_PLAN_RANGE);
	if (e2s_scan_slot(r->plan->scan, old) == E2S_SLOT_FREE)
		return at_line(r, E2S_ET_PLAN_FREE);
	slot = e2s_new_of(r->plan, old);
	if (*slot)
		return at_line(r, E2S_ET_PLAN_TWICE);
	*slot = new_ino;
	err = e2s_vec_reserve(&r->moves, 1);
	if (!err)
		r->moves.v[r->moves.n++] = (struct move){ old, r->line_n };
	return err;
}

/* Turns the inode that the proof failed at into the line that names it. */
static errcode_t seal(struct reader *r)
{
	struct e2s_where at = { 0 };
	errcode_t err = e2s_plan_seal(r->plan, &at);
	size_t i;

	if (!err)
		return 0;
	for (i = 0; at.set & E2S_WHERE_INO && i < r->moves.n; i++)
		if (r->moves.v[i].old == at.ino)
			r->line_n = r->moves.v[i].line;
	return at_line(r, err);
}

errcode_t e2s_plan_read(struct e2s_scan *scan, FILE *stream, int move_dirs,
			struct e2s_plan **ret, struct e2s_where *where)
{
	struct e2s_plan_options options = { .move_dirs = move_dirs };
	struct reader *r = calloc(1, sizeof(*r));
	errcode_t err;

	*ret = NULL;
	if (!r)
		return ENOMEM;
	r->stream = stream;
	r->where = where;
	err = e2s_plan_new(scan, &options, &r->plan, where);
	if (!err)
		err = read_head(r);
	while (!err && !(err = next_line(r)) && r->words_n)
		err = read_move(r);
	if (!err)
		err = seal(r);
	if (!err) {
		*ret = r->plan;
		r->plan = NULL;
	}
	e2s_plan_free(r->plan);
	free(r->moves.v);
	free(r);
	return err;
}
