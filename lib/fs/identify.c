/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is on a device that holds no ext file system. */
#include <string.h>
#include <unistd.h>

#include <blkid.h>

#include "fs/internal.h"

static const char qcow_magic[4] = { 'Q', 'F', 'I', '\xfb' };

errcode_t e2s_fs_identify(int fd, uint64_t offset, struct e2s_where *where)
{
	const char *type = NULL, *label = NULL;
	char head[sizeof(qcow_magic)];
	errcode_t err = E2S_ET_NOT_EXT;
	blkid_probe probe = NULL;

	if (pread(fd, head, sizeof(head), (off_t)offset) == sizeof(head) &&
	    !memcmp(head, qcow_magic, sizeof(head)))
		return E2S_ET_QCOW2;
	probe = blkid_new_probe();
	if (!probe || blkid_probe_set_device(probe, fd, (blkid_loff_t)offset, 0))
		goto out;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE |
						 BLKID_SUBLKS_LABEL);
	blkid_probe_enable_partitions(probe, 1);
	if (blkid_do_safeprobe(probe))
		goto out;
	if (!blkid_probe_lookup_value(probe, "TYPE", &type, NULL)) {
		err = E2S_ET_OTHER_FS;
		if (blkid_probe_lookup_value(probe, "LABEL", &label, NULL))
			e2s_where_detail(where, err,
				"contains a %s file system", type);
		else
			e2s_where_detail(where, err,
				"contains a %s file system labelled '%s'",
				type, label);
	} else if (!blkid_probe_lookup_value(probe, "PTTYPE", &type, NULL)) {
		err = E2S_ET_OTHER_FS;
		e2s_where_detail(where, err,
			"contains a partition table of type '%s'", type);
	}
out:
	blkid_free_probe(probe);
	return err;
}
