#ifndef KEEPER_REAP_H
#define KEEPER_REAP_H

#include <stdbool.h>
#include <stdint.h>

#include "end/memory-watch.h"
#include "finder/find-and-signal.h"
#include "process/ended-file.h"
#include "process/process.h"
#include "start/adoption.h"
#include "start/spawn.h"

/* Notices how processes end. */
struct reaper {
  struct processes *processes;
  struct launches *launches;
  struct forkers *forkers;
  struct searches *searches;
  struct ended_files *files;
  struct memory_watch *memory;
  /* Processes that were reaped while a stream is open, in the order of the reaping, so that the first is due first. */
  struct process *first;
  struct process *last;
  /* Ends since the keeper began. */
  uint64_t ended;
};

/* Registers with the processes, which report that the last stream has ended. */
void reap_open(struct reaper *reaper);
/* Reaps every process that has ended, adopted orphans included. */
void reap(struct reaper *reaper);
/* Ends the waits for streams that are overdue. Returns the ms until the next, -1 if none waits. */
int end_overdue(struct reaper *reaper, int64_t now);
/* After everything was announced, or without a client: removes it if nothing is left to do. */
void process_settled(struct reaper *reaper, struct process *process);
/* FORGET; with `discard` its output is not kept. */
void process_forget(struct reaper *reaper, struct process *process, bool discard);

#endif
