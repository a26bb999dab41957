# SPDX-License-Identifier: GPL-2.0-or-later
# check-layers itself, on a small tree with one breach of every kind.
mkdir -p lib/low lib/high lib/stray e2spread
cat >lib/README <<END
    module    may include
    ------    -----------
    low       -
    high      low

    stray     low
END
cat >lib/low/low.h <<END
int e2s_low_get(void);	/* printf() in a comment is no call */
END
cat >lib/low/low.c <<END
#include <stdio.h>
#include "low/low.h"
static const char *const words[] = { "exit(1)", "#include \"high/high.h\"" };
int e2s_low_get(void) { return words[0][0]; }
END
cat >lib/high/high.h <<END
#include "low/low.h"
END
cat >lib/high/high.c <<END
#include "high/high.h"
#include "high/internal.h"
END
echo 'int find_group(int i);' >lib/high/internal.h
check() { "$srcdir/tests/check-layers" "$PWD" "$@"; echo "exit $?"; }
objects() { # NAME SOURCE: a library of one object
	mkdir -p obj
	echo "$2" >obj/$1.c
	${CC:-cc} -fPIC -c obj/$1.c -o obj/$1.o
	rm -f lib.a
	ar rc lib.a obj/$1.o
}

echo "== clean"
check
objects fine 'static const char *const t[] = { "a" };
	int e2s_x(int i); int e2s_x(int i) { return t[i][0]; }
	int find_group(int i); int find_group(int i) { return i; }'
check lib.a

echo "== source"
cat >lib/low/low.c <<END
#include "low/low.h"
#include "high/high.h"
#include "low.h"
#include "../high/high.h"
#include "nowhere/nowhere.h"
int e2s_low_get(void)
{
	printf("x");
	fprintf (stderr, "x");
	puts("exit(1)");
	perror("x");
	if (1)
		exit(1);
	abort();
	return my_exit(1);
}
END
cat >lib/high/high.c <<END
#include "high/high.h"
#include "low/internal.h"
END
: >lib/stray/stray.c
cat >e2spread/main.c <<END
#include "high/high.h"
#include "high/internal.h"
#include "command.h"
END
check

echo "== library"
objects names 'int get(void); int get(void) { return 0; }'
check lib.a | grep lib.a\\\|names
objects counter 'int e2s_n; int e2s_get(void); int e2s_get(void)
	{ static int calls; return ++calls; }'
check lib.a | sed -n 's/calls\.[0-9]*/calls/; /counter/p'
