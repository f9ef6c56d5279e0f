#ifndef KEEPER_TREE_WALK_H
#define KEEPER_TREE_WALK_H

#include "tree/tree.h"

/* Answers one or more DIRECTORY for each directory, those above first, and WALKED. */
void walk(struct tree *tree, uint32_t request, char *const *patterns, uint32_t pattern_count);

#endif
