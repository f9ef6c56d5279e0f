#ifndef KEEPER_REAP_H
#define KEEPER_REAP_H

#include <stdbool.h>
#include <stdint.h>

struct process;

void reap_open(void);
/* Reaps every process that has ended, adopted orphans included. */
void reap(void);
/* Ends the waits for streams that are overdue. Returns the ms until the next, -1 where none waits. */
int end_overdue(int64_t now);
/* After everything was announced, or where there is no client: removes it where nothing is left to do. */
void process_settled(struct process *process);
/* FORGET; with `discard` its output is not kept. */
void process_forget(struct process *process, bool discard);

#endif
