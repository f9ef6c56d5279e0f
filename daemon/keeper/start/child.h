#ifndef KEEPER_CHILD_H
#define KEEPER_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "start/start.h"

/* What the child needs between clone and execve; the keeper changes none of it meanwhile. */
struct child {
  const struct start *start;
  int in, out, err, script;
  /* Its socket to the keeper, if it is a forker. */
  int channel;
  /* Close-on-exec: closes at execve, or carries a `child_report`. */
  int report;
  bool terminal;
  bool changes_account;
  bool is_root;
  /* It gains no privileges, for any program. */
  bool confined;
  mode_t mask;
  struct rlimit files;
};

/* The step that failed. */
struct child_report {
  int stage;
  int error;
};

#define CHILD_STACK_BYTES (32u * 1024)

/* How children are cloned. */
struct cloning {
  /* The system has refused it: a child gets a copy of the memory. */
  bool copies_memory;
  /* The system has refused it: no child is cloned into a group. */
  bool ignores_groups;
};

/*
 * Returns at once; -1 with errno. `stack` has CHILD_STACK_BYTES and stays until the child has called execve or ended.
 * `group` is a control group that it begins in, which becomes -1 if that is refused; a later move would wait for
 * all processors.
 */
pid_t child_clone(struct cloning *cloning, const struct child *child, unsigned char *stack, int *group);

#endif
