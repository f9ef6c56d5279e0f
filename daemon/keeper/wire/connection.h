#ifndef KEEPER_CONNECTION_H
#define KEEPER_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/frame.h"
#include "base/loop.h"

struct connection;

/* What is done about a connection. */
struct connection_events {
  /* Handles one whole frame; false if the connection has to end. */
  bool (*frame)(struct connection *connection, uint8_t type, struct reader *reader);
  /* Whether further frames may be handled: a client that reads no answers is not read either. */
  bool (*may_ask)(const struct connection *connection);
  /* It is closed now. */
  void (*closed)(struct connection *connection);
};

/* The socket of a peer, and the frames that are on their way. Free where `source.fd` is -1. */
struct connection {
  struct source source;
  const struct connection_events *events;
  /* Who handles the events. */
  void *owner;
  /* Unique while the keeper runs. */
  uint64_t number;
  pid_t pid;
  /* HELLO has come. */
  bool greeted;
  /* The peer does not read any more. Frames that it sent before are still handled. */
  bool deaf;
  uint32_t listens_for;
  uint8_t *in;
  size_t in_capacity;
  size_t in_start;
  size_t in_end;
  struct writer out;
  size_t out_start;
};

/* Takes over the socket `connection->source.fd`; closes it if memory is short. */
void connection_open(struct connection *connection, struct loop *loop);
void connection_close(struct connection *connection);
/* Handles what the peer sent before; it may have died right after that. Then closes the connection. */
void connection_finish(struct connection *connection);
/* Sends what fits, handles frames that had to wait for room, and waits for what is needed next. */
void connection_flush(struct connection *connection);

#endif
