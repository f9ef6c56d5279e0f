#ifndef KEEPER_TREE_CHANGE_H
#define KEEPER_TREE_CHANGE_H

#include "tree/tree.h"

struct attributes take_attributes(struct reader *reader);
struct expected take_expected(struct reader *reader);
/* 0; EBUSY if something else is there, EACCES if it is withheld, or another errno. */
int check_expected(const struct tree *tree, int parent, const char *name, const struct expected *expected);
/* Gives an open object (also O_PATH) owner, mode, extended attributes and time. 0, or an errno. */
int set_attributes(int descriptor, const struct attributes *attributes);
/* Gives a symbolic link owner and time. 0, or an errno. */
int set_link_attributes(int parent, const char *name, const struct attributes *attributes);

#endif
