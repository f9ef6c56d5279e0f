#include "start/reservation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

struct reservation {
  struct reservation *next;
  struct process *process;
  uint64_t cap;
  uint32_t segment_bytes;
  int64_t until;
};

bool reservation_add(struct reservations *reservations, const struct reservation_terms *terms, uint64_t client,
                     struct failure *failure)
{
  struct process *process = process_add(reservations->processes, terms->id);
  struct reservation *reservation = process == NULL ? NULL : calloc(1, sizeof *reservation);
  if (reservation == NULL || !process_keep_record(process, terms->record, terms->record_length)) {
    *failure = (struct failure){HOLD_STAGE, errno};
    free(reservation);
    if (process != NULL)
      process_remove(process);
    return false;
  }
  process->phase = RESERVED;
  process->client = client;
  process->prompt = true;
  process->stdin_kind = terms->has_stdin ? STDIN_PIPE : STDIN_NULL;
  memcpy(process->forker, terms->forker, strlen(terms->forker) + 1);
  *reservation = (struct reservation){
      .next = reservations->first,
      .process = process,
      .cap = terms->cap,
      .segment_bytes = terms->segment_bytes,
      .until = monotonic_ms() + terms->ms,
  };
  reservations->first = reservation;
  reservations->count++;
  return true;
}

static struct reservation **reservation_of(struct reservations *reservations, const struct process *process)
{
  struct reservation **at = &reservations->first;
  while (*at != NULL && (*at)->process != process)
    at = &(*at)->next;
  return at;
}

static void forget(struct reservations *reservations, struct reservation **at)
{
  struct reservation *reservation = *at;
  *at = reservation->next;
  reservations->count--;
  free(reservation);
}

static void give_up_reservation(struct reservations *reservations, struct reservation **at, int error)
{
  struct process *process = (*at)->process;
  forget(reservations, at);
  process_unstarted(process, (struct failure){ADOPTION_STAGE, error});
}

void reservations_drop_of(struct reservations *reservations, const char *forker, int error)
{
  for (struct reservation **at = &reservations->first; *at != NULL;) {
    if (strcmp((*at)->process->forker, forker) == 0)
      give_up_reservation(reservations, at, error);
    else
      at = &(*at)->next;
  }
}

void reservation_release(struct reservations *reservations, struct process *process)
{
  if (process->phase == RESERVED)
    give_up_reservation(reservations, reservation_of(reservations, process), ECANCELED);
}

void reservations_drop(struct reservations *reservations)
{
  while (reservations->first != NULL)
    give_up_reservation(reservations, &reservations->first, ECANCELED);
}

int reservations_due(struct reservations *reservations, int64_t now)
{
  int wait = -1;
  for (struct reservation **at = &reservations->first; *at != NULL;) {
    int64_t left = (*at)->until - now;
    if (left <= 0) {
      give_up_reservation(reservations, at, ETIMEDOUT);
      continue;
    }
    if (wait < 0 || left < wait)
      wait = (int)left;
    at = &(*at)->next;
  }
  return wait;
}

struct keeping reservation_keeping(struct reservations *reservations, const struct process *process)
{
  const struct reservation *reservation = *reservation_of(reservations, process);
  return (struct keeping){.cap = reservation->cap, .segment_bytes = reservation->segment_bytes};
}

void reservation_fulfil(struct reservations *reservations, const struct process *process)
{
  forget(reservations, reservation_of(reservations, process));
}
