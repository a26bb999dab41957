/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what the user typed to a path and an offset. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <blkid.h>

#include "fs/internal.h"

static errcode_t parse_offset(const char *text, uint64_t *offset)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return E2S_ET_BAD_OFFSET;
	errno = 0;
	*offset = strtoull(text, &end, 10);
	if (errno || *end || *offset > INT64_MAX)
		return E2S_ET_BAD_OFFSET;
	return 0;
}

/* A file may be called "LABEL=x": what exists is meant. */
static int is_tag(const char *name)
{
	static const char *const tags[] = { "LABEL=", "UUID=", "PARTLABEL=",
					    "PARTUUID=" };
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (!strncmp(name, tags[i], strlen(tags[i])))
			return stat(name, &st) != 0;
	return 0;
}

errcode_t e2s_fs_resolve(const char *spec, char **device, uint64_t *offset,
			 struct e2s_where *where)
{
	static const char mark[] = "?offset=";
	const char *query = strstr(spec, mark);
	struct stat st;
	char *name = NULL, *path = NULL;
	errcode_t err = 0;

	*offset = 0;
	/* A file may be called "a?offset=1": what exists is meant. */
	if (query && stat(spec, &st)) {
		err = parse_offset(query + strlen(mark), offset);
		if (err)
			goto out;
		name = strndup(spec, query - spec);
	} else {
		name = strdup(spec);
	}
	if (!name) {
		err = ENOMEM;
		goto out;
	}
	if (is_tag(name)) {
		path = blkid_get_devname(NULL, name, NULL);
		if (!path)
			err = E2S_ET_NO_SUCH_TAG;
	} else {
		path = name;
		name = NULL;
	}
	*device = path;
out:
	free(name);
	(void)where;
	return err;
}
