#ifndef KEEPER_FINDER_H
#define KEEPER_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "frame.h"

/* Whose processes are looked for. */
struct target {
  char id[MAX_ID + 1];
  pid_t pid;
  /* Not reaped: its pid is its own. */
  bool running;
  /* Its session and group are still its own, and not those of a later process. */
  bool owned;
  struct account account;
};

/* A living process as /proc/PID/stat shows it (proc(5)). */
struct found {
  pid_t pid;
  pid_t parent;
  pid_t group;
  pid_t session;
  /* Clock ticks after boot; with the pid it names one process for good. */
  uint64_t start;
  bool member;
  /* It shows no environment at all. */
  bool unnamed;
};

struct findings {
  /* The members alone, by pid; freed by the caller. */
  struct found *processes;
  size_t count;
  /* False while a young process is in the middle of execve, when its environment cannot be read: look again. */
  bool settled;
};

/* Nothing of this process, nor of its group, is ever found; 0 where there is none. */
void finder_spare(pid_t pid);
/*
 * The living processes of the targets: their sessions, their groups, whatever carries one of their marks, and the
 * descendants of all these; never the keeper, its group, or pid 1. Sets `owned` of the targets.
 */
struct findings find_processes(struct target *targets, size_t count);
/* Every descendant of the keeper: whatever it ever started and what that left behind. */
struct findings find_descendants(void);
/* False where it is gone, or is dead and only waits to be reaped. */
bool process_stat(pid_t pid, struct found *found);
bool owns_group(const struct target *targets, size_t count, pid_t group);

#endif
