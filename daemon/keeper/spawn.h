#ifndef KEEPER_SPAWN_H
#define KEEPER_SPAWN_H

#include <stdbool.h>
#include <stdint.h>

#include "process.h"

#define MAX_LIMITS 32
/* Kinds of limits beside those of setrlimit(2): nice + 20 and oom_score_adj + 1000, in `soft`. */
enum { LIMIT_NICE = 200, LIMIT_OOM };

struct limit {
  uint8_t kind;
  uint64_t soft;
  uint64_t hard;
};

struct start {
  const char *id;
  enum stdin_kind stdin_kind;
  uint16_t columns;
  uint16_t rows;
  uint64_t cap;
  uint32_t segment_bytes;
  struct account account;
  const char *cwd;
  const char *file;
  char **argv;
  char **envp;
  const uint8_t *script;
  uint32_t script_length;
  bool has_script;
  /* Announced as soon as it runs. */
  bool prompt;
  uint8_t limit_count;
  struct limit limits[MAX_LIMITS];
  const uint8_t *record;
  uint32_t record_length;
  /* Allocated; the texts above point into it. */
  uint8_t *memory;
};

void start_free(struct start *start);

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
