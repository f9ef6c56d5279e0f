#ifndef KEEPER_TREE_ENTRY_H
#define KEEPER_TREE_ENTRY_H

#include "tree/tree.h"

/*
 * Writes what an object is. `path` leads to it for its attributes; `follows`: by a magic link of /proc. The caller has
 * ENTRY_ROOM.
 */
void put_entry(struct writer *out, const char *name, const struct stat *stats, const char *path, bool follows);

#endif
