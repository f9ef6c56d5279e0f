#ifndef KEEPER_ANNOUNCE_H
#define KEEPER_ANNOUNCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/frame.h"
#include "end/reap.h"

/* Bytes of the output buffer that announcements leave free for the answers of searches. */
#define ANSWER_ROOM (4u * 1024)

/* Tells the client what has become of the processes. */
struct announcer {
  struct processes *processes;
  struct reaper *reaper;
  /* SYNCED was not sent yet. */
  bool syncing;
  /* Number of the connection that is announced to. */
  uint64_t client;
};

/* A new client: nothing is announced yet. */
void announce_anew(struct announcer *announcer, uint64_t client);
/*
 * Writes what has changed, as far as there is room; `writer` is NULL if no client is connected. Returns the ms until
 * delayed bulk output is due, -1 if none was delayed.
 */
int announce(struct announcer *announcer, struct writer *writer, int64_t now);
/* Whether something is left that found no room, or is delayed. */
bool anything_to_announce(const struct announcer *announcer);

#endif
