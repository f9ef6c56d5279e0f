#ifndef KEEPER_MEMORY_WATCH_H
#define KEEPER_MEMORY_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "finder/finder.h"
#include "memory/memory-room.h"
#include "process/process.h"

#define SUSPECTS 32

/* A process that the system may kill for memory. */
struct suspect {
  pid_t pid;
  uint64_t start;
  int64_t pages;
  char program[PROGRAM_BYTES];
  /* The id of the held process that it belongs to; empty if it is not known. */
  char owner[MAX_ID + 1];
};

/* Finds out which processes were killed for memory; the system only counts them (docs/keeper.md, Memory). */
struct memory_watch {
  struct processes *processes;
  struct finder *finder;
  struct memory_room room;
  /* When it looks at the use of memory again, ms. */
  int64_t next_at;
  /* No process lives; how many had been started by then. */
  bool idle;
  uint64_t started;
  /* The limit is near: the largest processes are known. */
  bool near;
  struct suspect suspects[SUSPECTS];
  int count;
  /* The kills that are settled, and when the search for the processes of the others ends (ms); 0: no others. */
  int64_t settled;
  int64_t give_up_at;
};

/* Begins; `room` and the counter of kills are open. */
void memory_watch_open(struct memory_watch *watch);
/* Notes new kills with the processes whose descendants they hit. */
void memory_watch_settle(struct memory_watch *watch);
/* Looks at the use of memory if it is due; returns the ms until it is again, -1 if no process lives. */
int memory_watch_due(struct memory_watch *watch, int64_t now);

#endif
