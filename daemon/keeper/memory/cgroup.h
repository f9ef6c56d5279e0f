#ifndef KEEPER_CGROUP_H
#define KEEPER_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Path of a file in the control group of the keeper, of version 2 or of the memory controller of version 1; false where
 * neither is mounted.
 */
bool cgroup_file(bool is_v2, const char *name, char path[3 * PATH_MAX]);
/* A file that counts the processes that were killed for memory. -1 if it cannot be read. */
int64_t cgroup_kills(int file);

/* Control groups of version 2, one per command, so that kills for memory are counted for each. */
struct command_groups {
  /* Descriptor of the directory that they are made in, -1 if none can be had. */
  int base;
  /* The number of the last one; 0: none. */
  uint64_t last;
  /* Groups that could not be removed yet, since a process is left in them. */
  uint32_t left;
};

/* Finds out whether groups can be had: the memory controller is there, and the keeper may delegate it. */
void command_groups_open(struct command_groups *groups);
/* Makes a group; 0 if it cannot. */
uint64_t command_group_make(struct command_groups *groups);
/* Descriptor of its directory, for clone3; -1 if none exists. */
int command_group_open(const struct command_groups *groups, uint64_t group);
/* Processes of the group that were killed for memory; -1 if that cannot be read. */
int64_t command_group_kills(const struct command_groups *groups, uint64_t group);
/* Removes it now, or when its last process has ended and another group is removed. */
void command_group_remove(struct command_groups *groups, uint64_t group);

#endif
