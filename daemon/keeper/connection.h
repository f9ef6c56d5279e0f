#ifndef KEEPER_CONNECTION_H
#define KEEPER_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* `stays`, for WELCOME: the keeper ends only at SHUTDOWN or a signal. */
void connections_open(bool stays);
/* Takes over the socket of process `pid`. Where all places are taken, the oldest without HELLO is closed. */
void connection_open(int fd, pid_t pid);
/* Whether a daemon is connected. */
bool has_client(void);
/* Announces and sends what has changed. Returns the ms until the next call is due, -1 where an event will cause it. */
int connections_flush(int64_t now);
/* Whether all output was sent. */
bool connections_idle(void);

#endif
