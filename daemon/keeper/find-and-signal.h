#ifndef KEEPER_FIND_AND_SIGNAL_H
#define KEEPER_FIND_AND_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finder.h"

/* Searches under way for the client. */
#define MAX_SEARCHES 16

/* Called with the number of processes found; `client` is the number of the connection. */
typedef void search_done(uint64_t client, uint32_t request, uint32_t count);

/*
 * Signals every process of the targets once and counts them; with signal 0 it only counts. SIGKILL scans and kills
 * again until no process is found, one scan in a turn of the loop. Takes over the targets and their accounts. Call it
 * only where there is `room_to_search`.
 */
void find_and_signal(struct target *targets, size_t count, int signal, uint64_t client, uint32_t request,
                     search_done *done);
bool room_to_search(void);
/* The same for all descendants of the keeper. There is always room for one of these; a new one replaces it. */
void find_and_signal_all(int signal, search_done *done);
/* Continues the searches that are due. Returns the ms until the next is due, -1 where there is none. */
int continue_searches(int64_t now);
void free_targets(struct target *targets, size_t count);

#endif
