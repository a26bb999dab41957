# SPDX-License-Identifier: GPL-2.0-or-later
# The model puts every name where a real kernel put it.
oracle=$builddir/tests/unit/ialloc_oracle
cases=$srcdir/tests/oracle

compare() {	# CASE MAP POLICY [move-dirs] [share]
	map=$2
	xz -dc "$cases/$1/$map.map.xz" > map || exit 1
	echo "$1 $map: $(case=$1; shift 2; "$oracle" "$case.img" "$1" map $2 $3)"
}

for case in rr16 overflow g4 lastflex kinds b1k refill tree stride; do
	tar -xSJf "$cases/$case/before.tar.xz" || exit 1
	mv before.img $case.img
	compare $case packed packed
	compare $case spread spread
	case $case in
	# What the history was cannot be known: how close one comes.
	overflow|g4|refill) compare $case replay spread move-dirs share ;;
	*) compare $case replay spread move-dirs ;;
	esac
	rm $case.img
done
