#ifndef KEEPER_CLIENTS_H
#define KEEPER_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "client/announce.h"
#include "finder/finder.h"
#include "start/reservation.h"
#include "wire/answer.h"
#include "wire/connection.h"

#define MAX_CONNECTIONS 8

/* The daemon that is connected, and other peers. */
struct clients {
  struct processes *processes;
  struct reservations *reservations;
  struct finder *finder;
  struct answers *answers;
  struct announcer *announcer;
  /* Handles a frame of the client `client` after HELLO; false if it is not well formed. */
  bool (*request)(void *context, uint64_t client, uint8_t type, struct reader *reader);
  void *context;
  /* For WELCOME: the keeper ends only at SHUTDOWN or a signal. */
  bool stays;
  struct source listener;
  /* Closed for a moment if no descriptor is left, so that a peer can be accepted and closed: else the loop spins. */
  int spare;
  struct connection connections[MAX_CONNECTIONS];
  /* The one that has sent HELLO; NULL: none. */
  struct connection *client;
  uint64_t last_number;
};

/* Takes over a listening socket; peers of the keeper's own account become connections. */
void clients_open(struct clients *clients, int listening);
/* Whether a daemon is connected. */
bool has_client(const struct clients *clients);
/* Announces and sends what has changed. Returns the ms until the next call is due, -1 if an event will cause it. */
int clients_flush(struct clients *clients, int64_t now);
/* Whether all output was sent. */
bool clients_idle(const struct clients *clients);

#endif
