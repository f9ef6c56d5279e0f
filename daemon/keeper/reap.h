#ifndef KEEPER_REAP_H
#define KEEPER_REAP_H

#include <stdint.h>

struct process;

/* Reaps every process that has ended, adopted orphans included. */
void reap(void);
/* The process was reaped, and every stream has ended. */
void process_drained(struct process *process);
/* Ends the waits for streams that are overdue. Returns the ms until the next, -1 where none waits. */
int end_overdue(int64_t now);
/* Its streams are not waited for any more. */
void stop_waiting(struct process *process);

#endif
