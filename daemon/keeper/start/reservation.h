#ifndef KEEPER_RESERVATION_H
#define KEEPER_RESERVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "process/process.h"
#include "start/process-streams.h"

/* What RESERVE brings; the texts stay the caller's. */
struct reservation_terms {
  const char *forker;
  const char *id;
  bool has_stdin;
  uint64_t cap;
  uint32_t segment_bytes;
  /* Until the reservation ends. */
  uint32_t ms;
  const uint8_t *record;
  uint32_t record_length;
};

struct reservation;

/* Ids that forkers will hand processes over with. */
struct reservations {
  struct processes *processes;
  struct reservation *first;
  uint64_t count;
};

/* Adds a process in the phase RESERVED; false, with the failure. */
bool reservation_add(struct reservations *reservations, const struct reservation_terms *terms, uint64_t client,
                     struct failure *failure);
/* Gives a reserved id up, which is announced as FAILED. No effect on a process that was handed over. */
void reservation_release(struct reservations *reservations, struct process *process);
/* Gives all up: a new client does not know them. */
void reservations_drop(struct reservations *reservations);
/* Gives up those of one forker, with the errno for their client. */
void reservations_drop_of(struct reservations *reservations, const char *forker, int error);
/* Gives up what is overdue. Returns the ms until the next, -1 if none exists. */
int reservations_due(struct reservations *reservations, int64_t now);
/* Of a process that is reserved. */
struct keeping reservation_keeping(struct reservations *reservations, const struct process *process);
/* The process was handed over. */
void reservation_fulfil(struct reservations *reservations, const struct process *process);

#endif
