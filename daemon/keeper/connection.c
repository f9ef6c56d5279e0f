#include "connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "announce.h"
#include "answer.h"
#include "build.h"
#include "finder.h"
#include "frame.h"
#include "loop.h"
#include "process.h"
#include "request.h"
#include "reservation.h"

#define MAX_CONNECTIONS 8
#define IN_BYTES (64u * 1024)
#define OUT_BYTES (64u * 1024)
/* Length of the only frame that may come before HELLO or is HELLO. */
#define GREETING_BYTES 5u
/* Reads from a client that another one replaces: enough to empty its socket. */
#define LAST_READS 64

struct connection {
  struct source source;
  /* Unique while the keeper runs. */
  uint64_t number;
  pid_t pid;
  bool greeted;
  /* The peer does not read any more. Frames that it sent before are still handled. */
  bool deaf;
  uint32_t events;
  uint8_t *in;
  size_t in_capacity;
  size_t in_start;
  size_t in_end;
  struct writer out;
  size_t out_start;
};

static struct connection connections[MAX_CONNECTIONS];
static struct connection *client;
static uint64_t last_number;
static bool keeper_stays;

static void hang_up(struct connection *connection)
{
  loop_close(&connection->source);
  free(connection->in);
  free(connection->out.bytes);
  if (client == connection) {
    client = NULL;
    finder_exclude(0);
  }
  *connection = (struct connection){.source.fd = -1};
}

static void receive(struct connection *connection);

/* Handles the last frames of the client before it is cut off: it may have died right after it sent them. */
static void replace(struct connection *connection)
{
  connection->deaf = true;
  for (int i = 0; i < LAST_READS && connection->source.fd >= 0; i++) {
    connection->out.length = connection->out_start = 0;
    receive(connection);
  }
  hang_up(connection);
}

static void greet(struct connection *connection, struct reader *reader)
{
  uint32_t version = take_u32(reader);
  if (!finished(reader) || version != PROTOCOL_VERSION) {
    hang_up(connection);
    return;
  }
  if (client != NULL)
    replace(client);
  client = connection;
  reservations_drop();
  connection->greeted = true;
  finder_exclude(connection->pid);
  begin_frame(&connection->out, WELCOME);
  put_u32(&connection->out, PROTOCOL_VERSION);
  put_u32(&connection->out, (uint32_t)getpid());
  put_u32(&connection->out, live_count());
  put_u8(&connection->out, keeper_stays);
  put_string(&connection->out, KEEPER_BUILD);
  end_frame(&connection->out);
  announce_anew(connection->number);
}

/* Handles one whole frame; `bytes` begins at its type. */
static void handle(struct connection *connection, uint8_t *bytes, size_t length)
{
  struct reader reader = {.at = bytes + 1, .left = length - 1};
  if (!connection->greeted) {
    if (bytes[0] == HELLO)
      greet(connection, &reader);
    /* After LIST the connection stays open, so that its end shows the end of the keeper. */
    else if (bytes[0] != LIST || !finished(&reader) || !announce_held(&connection->out))
      hang_up(connection);
    return;
  }
  if (!handle_request(connection->number, bytes[0], &reader))
    hang_up(connection);
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
  if (capacity == connection->in_capacity || held > capacity)
    return true;
  uint8_t *in = realloc(connection->in, capacity);
  if (in == NULL)
    return false;
  connection->in = in;
  connection->in_capacity = capacity;
  return true;
}

/* A client that reads no answers is not read either; one that is gone gets none. */
static bool may_ask(const struct connection *connection)
{
  return connection->deaf || !answers_clogged();
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
      hang_up(connection);
      return;
    }
    wanted = 4 + (size_t)length;
    if (held < wanted)
      break;
    connection->in_start += wanted;
    wanted = IN_BYTES;
    handle(connection, at + 4, length);
  }
  if (connection->source.fd >= 0 && may_ask(connection) && !fit(connection, wanted))
    hang_up(connection);
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
    hang_up(connection);
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
  if (events == connection->events)
    return;
  connection->events = events;
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

static struct connection *free_connection(void)
{
  struct connection *oldest = NULL;
  for (int i = 0; i < MAX_CONNECTIONS; i++) {
    struct connection *connection = &connections[i];
    if (connection->source.fd < 0)
      return connection;
    if (!connection->greeted && (oldest == NULL || connection->number < oldest->number))
      oldest = connection;
  }
  hang_up(oldest);
  return oldest;
}

void connection_open(int fd, pid_t pid)
{
  struct connection *connection = free_connection();
  *connection = (struct connection){
      .source = {.fd = fd, .ready = connection_ready},
      .number = ++last_number,
      .pid = pid,
      .events = EPOLLIN,
      .in = malloc(IN_BYTES),
      .in_capacity = IN_BYTES,
      .out = {.bytes = malloc(OUT_BYTES), .capacity = OUT_BYTES},
  };
  if (connection->in == NULL || connection->out.bytes == NULL || !loop_add(&connection->source, EPOLLIN))
    hang_up(connection);
}

void connections_open(bool stays)
{
  keeper_stays = stays;
  for (int i = 0; i < MAX_CONNECTIONS; i++)
    connections[i].source.fd = -1;
}

bool has_client(void)
{
  return client != NULL;
}

bool connections_idle(void)
{
  return client == NULL || (client->out.length == 0 && !any_changed());
}

int connections_flush(int64_t now)
{
  bool reads = client != NULL && !client->deaf;
  answers_flush(reads ? &client->out : NULL, reads ? client->number : 0);
  int wait = announce(client == NULL ? NULL : &client->out, now);
  for (int i = 0; i < MAX_CONNECTIONS; i++) {
    struct connection *connection = &connections[i];
    if (connection->source.fd >= 0)
      send_out(connection);
    /* Frames that had to wait for room. */
    if (connection->source.fd >= 0 && connection->in_end > connection->in_start)
      take_frames(connection);
    if (connection->source.fd >= 0)
      listen_for(connection);
  }
  /* What found no room goes on at once where the socket took what was before it. */
  bool more = client != NULL && anything_to_announce() && wait < 0 && client->out.length == 0;
  return more ? 0 : wait;
}
