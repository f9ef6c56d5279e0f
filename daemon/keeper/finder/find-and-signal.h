#ifndef KEEPER_FIND_AND_SIGNAL_H
#define KEEPER_FIND_AND_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finder/finder.h"
#include "wire/answer.h"

struct search;

/* Signals that are under way, in the order of their requests. */
struct searches {
  struct finder *finder;
  struct answers *answers;
  struct search *first;
  uint64_t count;
};

/*
 * Signals every process of the targets once and answers how many it reached; with signal 0 it only counts them. SIGKILL
 * scans and kills again until no process is found, one step in a turn of the loop. Takes over the targets and their
 * accounts. False if the keeper has no memory for it.
 */
bool find_and_signal(struct searches *searches, struct target *targets, size_t count, int signal, uint64_t client,
                     uint32_t request);
/* The same for all descendants of the keeper, without an answer. */
void find_and_signal_all(struct searches *searches, int signal);
/* Continues the searches that are due. Returns the ms until the next is due, -1 if none exists. */
int continue_searches(struct searches *searches, int64_t now);
/* A child of the keeper was reaped, perhaps the helper of a search. */
void search_helper_reaped(struct searches *searches, pid_t pid);
void free_targets(struct target *targets, size_t count);

#endif
