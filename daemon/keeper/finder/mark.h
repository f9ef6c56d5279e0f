#ifndef KEEPER_MARK_H
#define KEEPER_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/frame.h"
#include "base/loop.h"

/* What is known of the environment of one process. */
struct mark {
  pid_t pid;
  /* It is in the middle of execve: its environment cannot be read yet. */
  bool unsettled;
  /* The value of SVC_COMMAND_ID. */
  char id[MAX_ID + 1];
};

/*
 * Reads marks in a child of the keeper, because a read of an environment waits for the memory of that process, which
 * may be on a file system that does not answer.
 */
struct mark_reader {
  struct source source;
  /* 0 once it was killed or reaped: the system may reuse its pid. */
  pid_t helper;
  /* When the helper is killed; what it has found by then counts. */
  int64_t until;
  struct mark *marks;
  size_t bytes;
  size_t capacity;
  bool done;
};

/*
 * Begins to read the marks of the processes, as the keeper and as each account that differs: without CAP_SYS_PTRACE
 * (Docker's default) root cannot read the environment of another account, while that account can.
 */
void mark_reader_open(struct loop *loop, struct mark_reader *reader, const pid_t *pids, size_t count,
                      const struct account *const *accounts, size_t account_count);
/* Whether all marks are read, or the time is over. */
bool mark_reader_done(struct mark_reader *reader, int64_t now);
size_t mark_reader_count(const struct mark_reader *reader);
/* A child of the keeper was reaped, perhaps the helper. */
void mark_reader_reaped(struct mark_reader *reader, pid_t pid);
/* Ends the helper and frees the marks; a reader that was never opened may be closed. */
void mark_reader_close(struct mark_reader *reader);

#endif
