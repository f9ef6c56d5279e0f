#ifndef KEEPER_OOM_H
#define KEEPER_OOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/proc-stat.h"
#include "memory/cgroup.h"

/* Which processes end for lack of memory, and which of them have. */
struct oom {
  /* The counter of the keeper's own group, -1 if none exists. */
  int counter;
  /* The oom_score_adj of what the keeper starts. */
  int usual_score;
  struct command_groups groups;
  /* Kills of the keeper's group of which the process is known. */
  int64_t attributed;
  /* The memory limit of that group in bytes, -1 if none exists. */
  int64_t limit;
};

/* What is noted of one process at its start. */
struct oom_mark {
  /* Its own group, 0 if it has none. */
  uint64_t group;
  /* The counter of the keeper's group, -1 if it cannot be read. */
  int64_t before;
  /* The kills that were attributed by then. */
  int64_t attributed;
  /* Those of its own and of its descendants, the ms of the last, and the name of its program. */
  uint32_t kills;
  int64_t killed_at;
  char program[PROGRAM_BYTES];
};

/* Sets the usual score, lowers that of the keeper if it may, and finds the counters. */
void oom_open(struct oom *oom);
/* Processes of the group of the keeper that were killed for memory so far; -1 if the system does not report it. */
int64_t oom_kills(const struct oom *oom);
/* The counters at a start. */
void oom_mark_start(const struct oom *oom, struct oom_mark *mark);
/* A process of it was killed for memory. */
void oom_mark_kill(struct oom_mark *mark, const char *program, int64_t now);
/*
 * 0 no, 1 yes, 2 unknown. `candidate`: SIGKILL ended the process, which the keeper did not send; `max_rss`: the largest
 * of its processes, bytes.
 */
uint8_t oom_killed(const struct oom *oom, const struct oom_mark *mark, bool candidate, uint64_t max_rss);

#endif
