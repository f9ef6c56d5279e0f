#ifndef KEEPER_REAP_H
#define KEEPER_REAP_H

#include <stdint.h>

struct process;

/* Reaps whatever ended, adopted orphans included. */
void reap(void);
/* It was reaped, and every stream is at its end. */
void process_drained(struct process *process);
/* Ends the waiting for streams whose time is over; ms until the next is, -1 where none waits. */
int end_overdue(int64_t now);
/* It is not waited for any more. */
void stop_waiting(struct process *process);

#endif
