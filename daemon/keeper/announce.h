#ifndef KEEPER_ANNOUNCE_H
#define KEEPER_ANNOUNCE_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct process;

/*
 * Bytes of the output buffer that announcements leave free for the answers of searches.
 */
#define ANSWER_ROOM (4u * 1024)

/* A new client: nothing is announced yet. */
void announce_anew(uint64_t client);
/*
 * Writes what has changed, as far as there is room; `writer` is NULL where no client is connected. Returns the ms until
 * delayed bulk output is due, -1 where none was delayed.
 */
int announce(struct writer *writer, int64_t now);

/* Whether something is left that found no room, or is delayed. */
bool anything_to_announce(void);

/* Writes HELD for each process that has not ended, then LISTED. Allocates the room once; false where it cannot. */
bool announce_held(struct writer *writer);

#endif
