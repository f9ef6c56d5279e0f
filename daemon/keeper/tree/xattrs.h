#ifndef KEEPER_TREE_XATTRS_H
#define KEEPER_TREE_XATTRS_H

#include <stdbool.h>

#include "base/frame.h"

/* Bytes of all extended attributes of an object that are kept. */
#define MAX_XATTRS (256u * 1024)

/*
 * Writes the attributes of an open file, or without one (-1) of the object at a path, as u32 length and a list: user.*,
 * ACL, capabilities. False if they are too large or cannot be read: then the list is empty.
 */
bool put_xattrs(struct writer *out, const char *path, int file);
/* Makes the attributes of an object those of the list. 0, or an errno. */
int set_xattrs(const char *path, const uint8_t *list, uint32_t length);

#endif
