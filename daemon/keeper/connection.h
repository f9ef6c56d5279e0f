#ifndef KEEPER_CONNECTION_H
#define KEEPER_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* `stays`: whether the keeper ends only when it is told to, for WELCOME. */
void connections_open(bool stays);
/* Takes the socket of process `pid`. Where all places are taken, the oldest that has not greeted has to go. */
void connection_open(int fd, pid_t pid);
/* Whether the daemon is there. */
bool has_client(void);
/* Says what has changed, and sends it; ms until it wants to be called again, -1 where an event will do. */
int connections_flush(int64_t now);
/* Whether everything that was said has left. */
bool connections_idle(void);
void answer_signalled(uint64_t client, uint32_t request, uint32_t count);

#endif
