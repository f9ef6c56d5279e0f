#ifndef KEEPER_SIGNAL_MEMBERS_H
#define KEEPER_SIGNAL_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "finder/finder.h"

struct name {
  pid_t pid;
  uint64_t start;
};

/* The processes of some targets, and those that a signal has reached. */
struct signalling {
  const struct finder *finder;
  /* All descendants of the keeper. */
  bool all;
  struct target *targets;
  size_t target_count;
  int signal;
  int round;
  struct survey survey;
  /* New processes in this round. */
  size_t fresh;
  struct name *reached;
  size_t reached_length;
  size_t reached_capacity;
};

/*
 * Signals the members of the survey: a group in one call, which no fork escapes; one by one the other processes, and
 * those that have left their group. With signal 0 it only counts them.
 */
void signal_members(struct signalling *signalling);

#endif
