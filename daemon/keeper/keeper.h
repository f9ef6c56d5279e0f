#ifndef KEEPER_KEEPER_H
#define KEEPER_KEEPER_H

#include "base/loop.h"
#include "base/runtime-dir.h"
#include "client/announce.h"
#include "client/clients.h"
#include "end/memory-watch.h"
#include "end/reap.h"
#include "end/stop.h"
#include "finder/find-and-signal.h"
#include "finder/finder.h"
#include "memory/oom.h"
#include "process/ended-file.h"
#include "process/process.h"
#include "start/adoption.h"
#include "start/reservation.h"
#include "start/spawn.h"
#include "streams/output.h"
#include "wire/answer.h"

/*
 * All state of the keeper, a part for each module. A part points at those that it uses, which lie above it here, and
 * reports to those below through the functions that they give it.
 */
struct keeper {
  struct loop loop;
  struct runtime_dir dir;
  struct oom oom;
  struct outputs outputs;
  struct processes processes;
  struct ended_files ended_files;
  struct answers answers;
  struct reservations reservations;
  struct forkers forkers;
  struct launches launches;
  struct finder finder;
  struct searches searches;
  struct memory_watch memory;
  struct stop stop;
  struct reaper reaper;
  struct announcer announcer;
  struct clients clients;
  /* SIGCHLD, and the signals that end the keeper. */
  struct source signals;
  /* When it last had a client or a living process, ms. */
  int64_t needed_at;
};

#endif
