#ifndef KEEPER_ADOPTION_HELPER_H
#define KEEPER_ADOPTION_HELPER_H

#include <sys/types.h>

#include "base/frame.h"

/* stdout, stderr and stdin. */
#define MAX_HANDED 3

/* What the helper passes on, with the descriptors; the keeper answers with an errno. */
struct handover {
  char id[MAX_ID + 1];
  pid_t pid;
};

/*
 * Reads what a forker sends in a child of the keeper, because to close a descriptor of another account may wait: for a
 * file system that does not answer, or a socket that lingers. The keeper gets only pipes, which the helper has opened
 * again: no other process can make them block. `own` becomes the keeper's end of a socket, `others` that of the forker.
 * -1 with errno.
 */
pid_t adoption_helper_open(int *own, int *others);

#endif
