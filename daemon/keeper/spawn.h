#ifndef KEEPER_SPAWN_H
#define KEEPER_SPAWN_H

#include <stdbool.h>
#include <stdint.h>

#include "process.h"
#include "start.h"

/*
 * Saves umask and file limit for the children, and sets those of the keeper. With `no_new_privileges`, no program of an
 * account gains privileges by a setuid file, and its capability bounding set is empty.
 */
void spawn_open(bool no_new_privileges);
/*
 * Begins a start and takes `start` over. Its process is announced as RUNNING once its child has called execve, or as
 * UNSTARTED where that fails or takes too long. False, with the failure, where there is no process.
 */
bool spawn(struct start *start, uint64_t client, struct failure *failure);
/* The child was reaped: settles its start where that is under way. */
void launch_reaped(pid_t pid);
/* Kills the children that have not called execve in time. Returns the ms until the next, -1 where none is left. */
int launches_due(int64_t now);

#endif
