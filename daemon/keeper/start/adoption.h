#ifndef KEEPER_ADOPTION_H
#define KEEPER_ADOPTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/process.h"
#include "start/reservation.h"

struct forker;

/* The processes that may hand over others. */
struct forkers {
  struct processes *processes;
  struct reservations *reservations;
  struct forker *first;
  /* Processes that were handed over since the keeper began. */
  uint64_t adopted;
};

/* Holds an id for a process that the forker will hand over; false, with the failure. */
bool reserve(struct forkers *forkers, const struct reservation_terms *terms, uint64_t client, struct failure *failure);
/*
 * Begins to listen to process `id`, which runs as `uid`. `channel` is the end of the socket that it gets. False, with
 * errno.
 */
bool forker_open(struct forkers *forkers, const char *id, uid_t uid, int *channel);
/* The process has ended, or was not started: it hands nothing over any more. Any process may be given. */
void forker_close(struct forkers *forkers, struct process *process);
/* A child of the keeper was reaped, perhaps the helper of a forker. */
void forker_helper_reaped(struct forkers *forkers, pid_t pid);

#endif
