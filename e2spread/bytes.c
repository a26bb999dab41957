/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names are bytes: how they get into JSON and onto a terminal unharmed. */
#include <string.h>

#include <printbuf.h>

#include "e2spread/table.h"

/* Length of the UTF-8 sequence at S, 0 when it is none (too long forms,
 * surrogates and what lies above U+10FFFF are none). */
static unsigned utf8_length(const unsigned char *s)
{
	unsigned n, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static int write_bytes(struct json_object *object, struct printbuf *out,
		       int level, int flags)
{
	const unsigned char *s = (const unsigned char *)
		json_object_get_string(object);
	unsigned n;

	(void)level;
	(void)flags;
	printbuf_memappend(out, "\"", 1);
	for (; *s; s += n ? n : 1) {
		n = utf8_length(s);
		if (!n)
			sprintbuf(out, "\\udc%02x", *s);
		else if (*s == '"' || *s == '\\')
			sprintbuf(out, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			sprintbuf(out, "\\u%04x", *s);
		else
			printbuf_memappend(out, (const char *)s, (int)n);
	}
	return printbuf_memappend(out, "\"", 1);
}

struct json_object *json_bytes(const char *text)
{
	struct json_object *object = json_object_new_string(text);

	json_object_set_serializer(object, write_bytes, NULL, NULL);
	return object;
}

void print_bytes(FILE *stream, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned n;

	for (; *s; s += n ? n : 1) {
		n = utf8_length(s);
		if (!n || *s < 0x20 || *s == 0x7f)
			fprintf(stream, "\\x%02x", *s);
		else
			fwrite(s, 1, n, stream);
	}
}
