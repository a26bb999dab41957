# SPDX-License-Identifier: GPL-2.0-or-later
# The allocator model against what real kernels did, without scan or plan.
exec "$builddir/tests/unit/ialloc_oracle"
