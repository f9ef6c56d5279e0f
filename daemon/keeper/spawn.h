#ifndef KEEPER_SPAWN_H
#define KEEPER_SPAWN_H

#include <stdbool.h>
#include <sys/resource.h>

#include "process.h"

/* Where a start failed. */
enum stage {
  HOLD_STAGE = 1,
  PIPE_STAGE,
  SCRIPT_STAGE,
  CLONE_STAGE,
  SESSION_STAGE,
  ACCOUNT_STAGE,
  CWD_STAGE,
  EXEC_STAGE
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
};

struct failure {
  enum stage stage;
  int error;
};

/* Saves umask and file limit for the children, and sets those of the keeper. */
void spawn_open(void);
/* Starts and holds the process; NULL where that failed. */
struct process *spawn(const struct start *start, struct failure *failure);

#endif
