#ifndef KEEPER_TREE_MAKE_H
#define KEEPER_TREE_MAKE_H

#include "tree/tree.h"

/* Each takes the fields of its request and answers DONE; false if the request is not well formed. */
bool make_object(struct tree *tree, struct reader *reader);
bool remove_object(struct tree *tree, struct reader *reader);
bool set_object(struct tree *tree, struct reader *reader);

#endif
