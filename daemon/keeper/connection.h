#ifndef KEEPER_CONNECTION_H
#define KEEPER_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

/* Takes a socket that listens. `stays`: whether the keeper ends only when it is told to, for WELCOME. */
void connections_open(int listening, bool stays);
/* Whether the daemon is there. */
bool has_client(void);
/* Says what has changed, and sends it; ms until it wants to be called again, -1 where an event will do. */
int connections_flush(int64_t now);
/* Whether everything that was said has left. */
bool connections_idle(void);
void answer_signalled(uint64_t client, uint32_t request, uint32_t count);

#endif
