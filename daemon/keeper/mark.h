#ifndef KEEPER_MARK_H
#define KEEPER_MARK_H

#include <stddef.h>
#include <sys/types.h>

#include "frame.h"

enum mark_state { MARKED, UNMARKED, EMPTY_ENVIRONMENT, NO_PERMISSION };

/* The value of SVC_COMMAND_ID in the environment that a process was started with, unless it is too long for an id. */
enum mark_state read_mark(pid_t pid, char mark[MAX_ID + 1]);

struct unreadable {
  pid_t *pids;
  size_t count;
  size_t capacity;
};

struct marked_pid {
  pid_t pid;
  char mark[MAX_ID + 1];
};

void unreadable_add(struct unreadable *list, pid_t pid);
/*
 * The marks that `account` can read. Without CAP_SYS_PTRACE (Docker's default) even root cannot read the environment of
 * other accounts; a forked child that becomes that account can. Where fork fails, no marks are found.
 */
size_t read_marks_as(const struct account *account, const struct unreadable *list, struct marked_pid **marked);

#endif
