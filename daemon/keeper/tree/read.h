#ifndef KEEPER_TREE_READ_H
#define KEEPER_TREE_READ_H

#include "tree/tree.h"

/* Appends the content of a file to descriptor 3 and answers CONTENT. */
void read_content(struct tree *tree, uint32_t request, const char *path);

#endif
