# SPDX-License-Identifier: GPL-2.0-or-later
# README shows what "./bootstrap demo" makes and what e2spread prints for it,
# and names no file that is not here.
. "$srcdir/tests/lib.sh"
need python3 e2undo
PATH=${E2SPREAD%/*}:$PATH

# The sample of the demo, made as bootstrap makes it.
mkdir -p build/demo
{
	sed -n '/^demo_commands() {/,/^}/p; /^demo_image() {/,/^}/p' \
		"$srcdir/bootstrap"
	echo 'demo_image before.img'
} >demo.sh
grep -q '^demo_image() {' demo.sh || fail "bootstrap has no demo_image"
sh -eu demo.sh >demo.log 2>&1 || { cat demo.log; fail "demo_image"; }
python3 "$srcdir/tests/cases/docs-examples.py" text "$srcdir/README" \
	before.img || fail "README"

for file in $(grep -oE '\b(doc|lib|man|tests)/[A-Za-z0-9./-]*[A-Za-z0-9]' \
		"$srcdir/README" "$srcdir/HACKING" | sed 's/.*://'); do
	case $file in
	*NAME* | *COMMAND*) continue ;;		# stands for any
	man/e2spread.8) file=$file.in ;;
	esac
	[ -e "$srcdir/$file" ] || fail "there is no $file"
done
