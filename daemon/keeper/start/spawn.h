#ifndef KEEPER_SPAWN_H
#define KEEPER_SPAWN_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/score.h"
#include "process/process.h"
#include "start/adoption.h"
#include "start/child.h"
#include "start/start.h"

struct launch;

/* The starts that are under way, and what they have in common. */
struct launches {
  struct processes *processes;
  struct forkers *forkers;
  struct cloning cloning;
  struct scores scores;
  struct rlimit files;
  mode_t mask;
  bool confines;
  struct launch *first;
  uint64_t count;
};

/*
 * Saves umask and file limit for the children, and sets those of the keeper. With `no_new_privileges`, no program of an
 * account gains privileges by a setuid file, and its capability bounding set is empty.
 */
void spawn_open(struct launches *launches, bool no_new_privileges);
/*
 * Begins a start and takes `start` over. Its process is announced as RUNNING once its child has called execve, or as
 * UNSTARTED if that fails or takes too long. False, with the failure, if there is no process.
 */
bool spawn(struct launches *launches, struct start *start, uint64_t client, struct failure *failure);
/* The child was reaped: settles its start if that is under way. */
void launch_reaped(struct launches *launches, pid_t pid);
/* Kills the children that have not called execve in time, and sets scores. Returns the ms until the next, -1 if none. */
int launches_due(struct launches *launches, int64_t now);

#endif
