#ifndef KEEPER_PROC_STAT_H
#define KEEPER_PROC_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* More than the name of a program that the system keeps (comm of proc(5)). */
#define PROGRAM_BYTES 16

/* A process as /proc/PID/stat shows it (proc(5)). */
struct proc_stat {
  char state;
  pid_t parent;
  pid_t group;
  pid_t session;
  unsigned flags;
  /* Clock ticks after boot. */
  uint64_t start;
  int64_t pages;
  /* Printable ASCII without quote and backslash, so that it is right in a frame and in JSON. */
  char program[PROGRAM_BYTES];
};

/* The first bytes of /proc/PID/NAME as a string; false if none exist. */
bool read_proc_file(pid_t pid, const char *name, char *text, size_t size);
/* False if the process does not exist. */
bool read_proc_stat(pid_t pid, struct proc_stat *stat);
/* Replaces a name that many programs share by that of the executable file. */
void name_program(pid_t pid, struct proc_stat *stat);
/* It has ended, and its parent has not waited for it. */
bool is_zombie(const struct proc_stat *stat);

#endif
