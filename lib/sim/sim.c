/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "sim/internal.h"

errcode_t e2s_sim_run(const struct e2s_scan *scan,
		      const struct e2s_sim_options *options,
		      struct e2s_sim_result *ret, struct e2s_where *where)
{
	struct world w;
	errcode_t err;

	*ret = (struct e2s_sim_result){ 0 };
	err = e2s_sim_world_open(&w, scan, options, ret, where);
	if (err)
		return err;
	err = options->trace ? e2s_sim_run_trace(&w, where)
			     : e2s_sim_run_pattern(&w, where);
	if (!err)
		err = e2s_sim_measure_world(&w);
	e2s_sim_world_close(&w);
	return err;
}

errcode_t e2s_sim_find_dir(const struct e2s_scan *scan, const char *path,
			   uint32_t *ino, struct e2s_where *where)
{
	ext2_ino_t found = 0;
	errcode_t err;

	err = ext2fs_namei(scan->fs->ext2, EXT2_ROOT_INO, EXT2_ROOT_INO, path,
			   &found);
	if (err && err != EXT2_ET_FILE_NOT_FOUND &&
	    err != EXT2_ET_NO_DIRECTORY)
		return err;
	if (err || e2s_scan_dir_number(scan, found) == E2S_DIR_NONE)
		return e2s_where_detail(where, E2S_ET_NO_PARENT, "%s", path);
	*ino = found;
	return 0;
}
