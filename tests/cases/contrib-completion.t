# SPDX-License-Identifier: GPL-2.0-or-later
# Completion knows the commands, and the options of each.
. "$srcdir/tests/lib.sh"
need bash
cat >complete.bash <<'END'
source "$srcdir/contrib/e2spread.bash-completion"
words() { # WORD...: the last is to be completed
	COMP_WORDS=("$E2SPREAD" "$@")
	COMP_CWORD=$#
	_e2spread
	echo "$*: $(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')"
}
words rep
words --v
words report --js
words report --ver
words report --dirs a
words report no-such-file
[[ $(complete -p e2spread) == *default* ]] || echo "files are not completed"
END
bash complete.bash
"$E2SPREAD" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
[ -s commands ] || fail "no commands in the help"
while read -r command; do
	"$E2SPREAD" $command --help >/dev/null || fail "$command --help"
done <commands
