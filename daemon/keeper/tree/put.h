#ifndef KEEPER_TREE_PUT_H
#define KEEPER_TREE_PUT_H

#include "tree/tree.h"

/* Begins a file beside its place, without a name where the file system can. */
void begin_put(struct tree *tree, struct reader *reader);
void put_data(struct tree *tree, const uint8_t *bytes, uint32_t length);
void put_hole(struct tree *tree, uint64_t length);
/* Gives the file its attributes and its name, which replaces what is there at once, and answers DONE. */
void end_put(struct tree *tree);

#endif
