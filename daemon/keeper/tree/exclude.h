#ifndef KEEPER_TREE_EXCLUDE_H
#define KEEPER_TREE_EXCLUDE_H

#include <stdbool.h>

/*
 * Whether a pattern names a path below the root. A pattern without a slash goes by the last part alone. `*` and `?` stop
 * at slashes, `**` does not. The time is bounded by the product of both lengths.
 */
bool matches_pattern(const char *pattern, const char *path);

#endif
