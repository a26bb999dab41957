/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace's form: lines to operations. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace.h"

static const struct {
	const char *name;
	unsigned paths;
} verbs[E2S_SIM_VERBS] = {
	[E2S_SIM_MKDIR] = { "mkdir", 1 },
	[E2S_SIM_MAKE] = { "create", 1 },
	[E2S_SIM_UNLINK] = { "unlink", 1 },
	[E2S_SIM_RENAME] = { "rename", 2 },
	[E2S_SIM_LINK] = { "link", 2 },
};

struct reader {
	struct e2s_sim_trace *trace;
	size_t ops_room;
	uint64_t line;
	struct e2s_where *where;
};

static int is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Undoes \ooo in place; 0 for what is no path. */
static int take_path(char *text)
{
	const char *from = text;
	char *to = text;

	if (*from != '/')
		return 0;
	while (*from) {
		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		if (from[1] < '0' || from[1] > '3' || !is_octal(from[2]) ||
		    !is_octal(from[3]))
			return 0;
		*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
			     (from[3] - '0'));
		if (!*to || *to == '/')
			return 0;
		to++;
		from += 4;
	}
	*to = 0;
	return 1;
}

static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t");
	size_t len = strcspn(word, " \t");

	*rest = word + len;
	if (**rest)
		*(*rest)++ = 0;
	return word;
}

static errcode_t wrong(struct reader *r, errcode_t err, const char *word)
{
	e2s_where_line(r->where, err, r->line);
	return *word ? e2s_where_detail(r->where, err, "%.100s", word) : err;
}

static errcode_t take_task(struct reader *r, const char *word, uint32_t *task)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(word + 1, &end, 10);
	if (!isdigit((unsigned char)word[1]) || *end || errno ||
	    n >= E2S_SIM_TASKS_MAX)
		return wrong(r, E2S_ET_TRACE_TASK, word);
	*task = (uint32_t)n;
	if (r->trace->tasks <= *task)
		r->trace->tasks = *task + 1;
	return 0;
}

static errcode_t take_line(struct reader *r, char *text)
{
	struct e2s_sim_op op = { .line = r->line };
	char *word = next_word(&text);
	errcode_t err;
	unsigned verb;

	if (*word == '@') {
		err = take_task(r, word, &op.task);
		if (err)
			return err;
		word = next_word(&text);
	}
	for (verb = 0; verb < E2S_SIM_VERBS; verb++)
		if (!strcmp(word, verbs[verb].name))
			break;
	if (verb == E2S_SIM_VERBS)
		return wrong(r, E2S_ET_TRACE_VERB, word);
	op.verb = (enum e2s_sim_verb)verb;
	op.path = word = next_word(&text);
	if (!take_path(word))
		return wrong(r, *word ? E2S_ET_TRACE_PATH : E2S_ET_TRACE_PATHS,
			     word);
	word = next_word(&text);
	if ((verbs[verb].paths == 2) != (*word != 0))
		return wrong(r, E2S_ET_TRACE_PATHS, word);
	if (*word && !take_path(word))
		return wrong(r, E2S_ET_TRACE_PATH, word);
	op.other = *word ? word : NULL;
	word = next_word(&text);
	if (*word)
		return wrong(r, E2S_ET_TRACE_PATHS, word);
	err = e2s_vec_grow((void **)&r->trace->ops, r->trace->ops_n,
			   &r->ops_room, 1, sizeof(op));
	if (!err)
		r->trace->ops[r->trace->ops_n++] = op;
	return err;
}

/* All of STREAM as one string; a byte 0 in it would end a line early. */
static errcode_t read_all(FILE *stream, char **ret, size_t *n)
{
	E2S_VEC(char) text = { 0 };
	size_t got;

	do {
		if (e2s_vec_reserve(&text, 65536)) {
			free(text.v);
			return ENOMEM;
		}
		errno = 0;
		got = fread(text.v + text.n, 1, 65535, stream);
		text.n += got;
	} while (got);
	text.v[text.n] = 0;
	*ret = text.v;
	*n = text.n;
	return ferror(stream) ? (errno ? errno : EIO) : 0;
}

static errcode_t take_lines(struct reader *r, char *at, const char *end)
{
	char *line, *stop;
	errcode_t err = 0;

	while (!err && at < end) {
		line = at;
		stop = memchr(at, '\n', (size_t)(end - at));
		at = stop ? stop + 1 : (char *)end;
		r->line++;
		if (stop)
			*stop = 0;
		if (strlen(line) != (size_t)((stop ? stop : end) - line))
			return wrong(r, E2S_ET_TRACE_PATH, "");
		if (line[strspn(line, " \t")] && *line != '#')
			err = take_line(r, line);
	}
	return err;
}

errcode_t e2s_sim_trace_read(FILE *stream, struct e2s_sim_trace **ret,
			     struct e2s_where *where)
{
	struct reader r = { .where = where };
	errcode_t err = ENOMEM;
	size_t n = 0;

	r.trace = calloc(1, sizeof(*r.trace));
	if (!r.trace)
		goto out;
	r.trace->tasks = 1;
	err = read_all(stream, &r.trace->bytes, &n);
	if (!err)
		err = take_lines(&r, r.trace->bytes, r.trace->bytes + n);
	if (err)
		goto out;
	*ret = r.trace;
	r.trace = NULL;
out:
	e2s_sim_trace_free(r.trace);
	return err;
}

void e2s_sim_trace_free(struct e2s_sim_trace *trace)
{
	if (!trace)
		return;
	free(trace->ops);
	free(trace->bytes);
	free(trace);
}
