# SPDX-License-Identifier: GPL-2.0-or-later
# Random bytes in metadata: report ends in time, within its memory, with one
# line or with a report; and what a checksum covers does not go unmentioned.
. "$srcdir/tests/lib.sh"
status=0
while read -r options; do
	make_image a.img 8M $options
	fill_some a.img
	e2fsck -fyD a.img >e2fsck.log 2>&1
	python3 "$srcdir/tests/mutate.py" fuzz a.img 100 ||
		{ echo "on: $options"; status=1; }
done <<END
-t ext4 -b 1024 -O ^has_journal -N 640
-t ext4 -b 1024 -O ^has_journal,^metadata_csum -N 640
-t ext4 -b 1024 -O ^has_journal,inline_data -g 1024 -N 640
-t ext2 -b 1024 -N 640
END
exit $status
