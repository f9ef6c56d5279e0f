#include "wire/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define IN_BYTES (64u * 1024)
#define OUT_BYTES (64u * 1024)
/* Length of the only frame that may come before HELLO or is HELLO. */
#define GREETING_BYTES 5u
/* Reads from a client that another one replaces: enough to empty its socket. */
#define LAST_READS 64

void connection_close(struct connection *connection)
{
  loop_close(&connection->source);
  free(connection->in);
  free(connection->out.bytes);
  connection->in = connection->out.bytes = NULL;
  connection->events->closed(connection);
}

/* Makes room for the whole frame that begins at `in_start`; shrinks the buffer again after a large one. */
static bool fit(struct connection *connection, size_t wanted)
{
  size_t held = connection->in_end - connection->in_start;
  size_t capacity = wanted > IN_BYTES ? wanted : IN_BYTES;
  if (connection->in_start > 0) {
    memmove(connection->in, connection->in + connection->in_start, held);
    connection->in_start = 0;
    connection->in_end = held;
  }
  return held > capacity || set_capacity(&connection->in, &connection->in_capacity, capacity);
}

/* A peer that is gone gets no answers. */
static bool may_ask(const struct connection *connection)
{
  return connection->deaf || connection->events->may_ask(connection);
}

/* Handles the whole frames in the buffer, as long as the client reads the answers. */
static void take_frames(struct connection *connection)
{
  size_t wanted = IN_BYTES;
  while (connection->source.fd >= 0 && may_ask(connection)) {
    size_t held = connection->in_end - connection->in_start;
    uint8_t *at = connection->in + connection->in_start;
    if (held < 4)
      break;
    uint32_t length = read_u32(at);
    if (length == 0 || length > (connection->greeted ? MAX_FRAME : GREETING_BYTES)) {
      connection_close(connection);
      return;
    }
    wanted = 4 + (size_t)length;
    if (held < wanted)
      break;
    connection->in_start += wanted;
    wanted = IN_BYTES;
    struct reader reader = {.at = at + 5, .left = length - 1};
    if (!connection->events->frame(connection, at[4], &reader) && connection->source.fd >= 0)
      connection_close(connection);
  }
  if (connection->source.fd >= 0 && may_ask(connection) && !fit(connection, wanted))
    connection_close(connection);
}

static void receive(struct connection *connection)
{
  /* The end of the connection is read only after the frames that wait in the buffer. */
  if (connection->in_end == connection->in_capacity || !may_ask(connection))
    return;
  ssize_t count = recv(connection->source.fd, connection->in + connection->in_end,
                       connection->in_capacity - connection->in_end, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (count <= 0) {
    connection_close(connection);
    return;
  }
  connection->in_end += (size_t)count;
  take_frames(connection);
}

static void send_out(struct connection *connection)
{
  struct writer *out = &connection->out;
  while (!connection->deaf && connection->out_start < out->length) {
    ssize_t count = send(connection->source.fd, out->bytes + connection->out_start, out->length - connection->out_start,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno == EAGAIN)
      break;
    if (count < 0)
      connection->deaf = true;
    else
      connection->out_start += (size_t)count;
  }
  if (connection->deaf)
    connection->out_start = out->length;
  memmove(out->bytes, out->bytes + connection->out_start, out->length - connection->out_start);
  out->length -= connection->out_start;
  connection->out_start = 0;
}

static void listen_for(struct connection *connection)
{
  uint32_t events = (may_ask(connection) ? EPOLLIN : 0u) | (connection->out.length > 0 ? EPOLLOUT : 0u);
  if (events == connection->listens_for)
    return;
  connection->listens_for = events;
  loop_change(&connection->source, events);
}

static void connection_ready(struct source *source, uint32_t events)
{
  struct connection *connection = (struct connection *)source;
  /* Nothing reaches the peer any more; what it sent is still handled, up to the end of the stream. */
  if (events & (EPOLLHUP | EPOLLERR))
    connection->deaf = true;
  if (events & EPOLLOUT)
    send_out(connection);
  if (connection->source.fd >= 0 && events & (EPOLLIN | EPOLLHUP | EPOLLERR))
    receive(connection);
}

void connection_open(struct connection *connection, struct loop *loop)
{
  connection->source.ready = connection_ready;
  connection->listens_for = EPOLLIN;
  connection->in = malloc(IN_BYTES);
  connection->in_capacity = IN_BYTES;
  connection->out = (struct writer){.bytes = malloc(OUT_BYTES), .capacity = OUT_BYTES};
  if (connection->in == NULL || connection->out.bytes == NULL || !loop_add(loop, &connection->source, EPOLLIN))
    connection_close(connection);
}

void connection_finish(struct connection *connection)
{
  connection->deaf = true;
  for (int i = 0; i < LAST_READS && connection->source.fd >= 0; i++) {
    connection->out.length = connection->out_start = 0;
    receive(connection);
  }
  if (connection->source.fd >= 0)
    connection_close(connection);
}

void connection_flush(struct connection *connection)
{
  if (connection->source.fd >= 0)
    send_out(connection);
  /* Frames that had to wait for room. */
  if (connection->source.fd >= 0 && connection->in_end > connection->in_start)
    take_frames(connection);
  if (connection->source.fd >= 0)
    listen_for(connection);
}
