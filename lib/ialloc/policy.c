/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of policies; rows in the order to show them. */
#include <string.h>

#include "ialloc/internal.h"

static const struct e2s_ialloc_rule packed = {
	.find_dir = find_group_orlov,
	.find_other = find_group_other,
	.find_in_flex = e2s_ialloc_find_first,
};

static const struct e2s_ialloc_rule spread = {
	.find_dir = find_group_orlov,
	.find_other = find_group_other_spread,
	.find_in_flex = find_group_in_flex,
};

static const struct e2s_ialloc_rule balanced = {
	.find_dir = find_group_orlov,
	.find_other = find_group_other_spread,
	.find_in_flex = e2s_ialloc_find_balanced,
};

static const struct e2s_ialloc_rule noflex = {
	.no_flex = 1,
	.find_dir = find_group_orlov,
	.find_other = find_group_other,
};

static const struct e2s_ialloc_rule oldalloc = {
	.find_dir = find_group_flex,
	.find_other = find_group_flex,
	.find_in_flex = e2s_ialloc_find_first,
};

static const struct e2s_ialloc_policy policies[] = {
	{ "packed", "Linux 2.6.30 to today: the first group that has room",
	  0, &packed },
	{ "spread", "the 2026 patch: the directory's number picks the group",
	  0, &spread },
	{ "balanced", "as spread, but the least loaded group",
	  0, &balanced },
	{ "noflex", "without flex groups: the directory's own group",
	  0, &noflex },
	{ "oldalloc", "Linux 2.6.27 to 2.6.29: the flex group that has room",
	  E2S_IALLOC_SIMULATE_ONLY, &oldalloc },
};

const struct e2s_ialloc_policy *e2s_ialloc_policy_at(unsigned i)
{
	return i < sizeof(policies) / sizeof(policies[0]) ? &policies[i] : NULL;
}

const struct e2s_ialloc_policy *e2s_ialloc_policy_find(const char *name)
{
	const struct e2s_ialloc_policy *policy;
	unsigned i;

	for (i = 0; (policy = e2s_ialloc_policy_at(i)); i++)
		if (!strcmp(policy->name, name))
			return policy;
	return NULL;
}

const char *e2s_ialloc_why_name(enum e2s_ialloc_why why)
{
	static const char *const names[E2S_IALLOC_WHYS] = {
		[E2S_IALLOC_HOME] = "home",
		[E2S_IALLOC_LAST] = "last",
		[E2S_IALLOC_EMPTY] = "empty",
		[E2S_IALLOC_ANY] = "any",
		[E2S_IALLOC_RETRY] = "retry",
		[E2S_IALLOC_ORLOV] = "orlov",
		[E2S_IALLOC_TOPDIR] = "topdir",
		[E2S_IALLOC_FALLBACK] = "fallback",
		[E2S_IALLOC_QUADRATIC] = "quadratic",
		[E2S_IALLOC_LINEAR] = "linear",
		[E2S_IALLOC_BEFORE] = "before",
		[E2S_IALLOC_ROOMY] = "roomy",
		[E2S_IALLOC_BEST] = "best",
	};

	return (unsigned)why < E2S_IALLOC_WHYS ? names[why] : "?";
}
