#ifndef KEEPER_TREE_ENTRY_H
#define KEEPER_TREE_ENTRY_H

#include "tree/tree.h"

/*
 * Writes what an object is, in the directory that the program is in if it is not an open file (-1). The caller has
 * ENTRY_ROOM.
 */
void put_entry(struct writer *out, const char *name, const struct stat *stats, int file);

#endif
