/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include "fs/fs.h"
int main(int argc, char **argv)
{
	struct e2s_where where = { 0 };
	struct e2s_fs *fs;
	errcode_t err = e2s_fs_open(argc > 1 ? argv[1] : "x", 0, &fs, &where);
	if (err) {
		fprintf(stderr, "e2spread: %s: %s", argv[1], error_message(err));
		e2s_where_print(&where, stderr);
		fputc('\n', stderr);
		return 8;
	}
	printf("%u groups flex %u\n", fs->geo.groups, fs->geo.flex_size);
	e2s_fs_close(fs);
	return 0;
}
