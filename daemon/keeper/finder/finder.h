#ifndef KEEPER_FINDER_H
#define KEEPER_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/frame.h"
#include "finder/mark.h"
#include "process/process.h"

struct finder {
  struct processes *processes;
  /* This process and its group are in no scan; 0: none. */
  pid_t excluded;
};

/* A command or terminal, the processes of which are searched. */
struct target {
  char id[MAX_ID + 1];
  pid_t pid;
  /* Not reaped, so that the pid is still that of the process. */
  bool running;
  /* Session and group of that pid belong to the target, not to a later process. */
  bool owned;
  /* It was reaped: they are owned unless a mark shows that they belong to a later process. */
  bool ended_leads;
  struct account account;
};

/* A living process as /proc/PID/stat shows it (proc(5)). */
struct found {
  pid_t pid;
  pid_t parent;
  pid_t group;
  pid_t session;
  /* Clock ticks after boot; together with the pid it identifies one process. */
  uint64_t start;
  bool member;
  /* A member unless its mark names another process. */
  bool claimed;
};

/* All living processes that may be signalled, sorted by pid; the caller frees `items`. */
struct survey {
  struct found *items;
  size_t count;
  size_t capacity;
  /* False while a process is in the middle of execve, when its environment cannot be read: scan again. */
  bool settled;
  /*
   * A sum over the processes that had ended before their stat was read. One that lived in the scan before may have
   * forked after the list was read: its child is in no list, so that the scan proves nothing about it.
   */
  uint64_t ended;
};

/*
 * The members are the living processes of the targets: their sessions, their groups, processes with one of their marks,
 * and the descendants of all these; never the keeper, its group, or pid 1. Without marks, only the sessions and groups
 * of targets that run.
 */
struct survey survey_targets(const struct finder *finder, struct target *targets, size_t count);
/* Adds the rest. */
void survey_apply(const struct finder *finder, struct survey *survey, struct target *targets, size_t count,
                  const struct mark *marks, size_t mark_count);
/* Every descendant of the keeper is a member, orphans that it adopted included. */
struct survey survey_descendants(const struct finder *finder);
/* The held process that a process of the survey belongs to: by pid, session and descent; NULL if that is unknown. */
struct process *survey_owner(const struct finder *finder, const struct survey *survey, const struct found *found);
/* False if the process does not exist, or it is a zombie. */
bool process_stat(pid_t pid, struct found *found);
bool owns_group(const struct target *targets, size_t count, pid_t group);

#endif
