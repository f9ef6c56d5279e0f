#ifndef KEEPER_TREE_BENEATH_H
#define KEEPER_TREE_BENEATH_H

#include "tree/tree.h"

/* Opens a path below the root without following a link on the way or at its end; "" is the root. -1 with errno. */
int open_beneath(struct tree *tree, const char *path, int flags);
/*
 * Opens the directory of a path below the root; `*name` is its last part. -1 with errno, EINVAL for a path without
 * a plain last part.
 */
int open_parent(struct tree *tree, const char *path, const char **name);

#endif
