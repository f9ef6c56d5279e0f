#ifndef KEEPER_HUNT_H
#define KEEPER_HUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finder.h"

/* Of the client's. */
#define MAX_HUNTS 16

/* Who is told how many there were; `client` is the connection's number. */
typedef void hunt_done(uint64_t client, uint32_t request, uint32_t count);

/*
 * Signals every process of the targets once, and counts them; with signal 0 it only counts. SIGKILL looks again, and
 * kills again, until nothing is found. It goes on in the loop's turns. Takes over the targets and their accounts.
 * Only where there is `room_to_hunt`.
 */
void hunt_targets(struct target *targets, size_t count, int signal, uint64_t client, uint32_t request,
                  hunt_done *done);
bool room_to_hunt(void);
/* The same for all descendants of the keeper; one at a time, for which there is always room. */
void hunt_all(int signal, hunt_done *done);
/* Goes on with those whose time has come; ms until the next one's, -1 where there is none. */
int hunt_on(int64_t now);
void free_targets(struct target *targets, size_t count);

#endif
