#include "client/clients.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/build.h"
#include "base/log.h"
#include "wire/state-frame.h"

static void put_welcome(const struct clients *clients, struct writer *writer)
{
  begin_frame(writer, WELCOME);
  put_u32(writer, PROTOCOL_VERSION);
  put_u32(writer, (uint32_t)getpid());
  put_u32(writer, live_count(clients->processes));
  put_u8(writer, clients->stays);
  put_string(writer, KEEPER_BUILD);
  end_frame(writer);
}

/* The peer becomes the client, in place of the one before. */
static bool greet(struct clients *clients, struct connection *connection, struct reader *reader)
{
  uint32_t version = take_u32(reader);
  if (!finished(reader) || version != PROTOCOL_VERSION)
    return false;
  if (clients->client != NULL)
    connection_finish(clients->client);
  clients->client = connection;
  reservations_drop(clients->reservations);
  connection->greeted = true;
  clients->finder->excluded = connection->pid;
  put_welcome(clients, &connection->out);
  announce_anew(clients->announcer, connection->number);
  return true;
}

static bool on_frame(struct connection *connection, uint8_t type, struct reader *reader)
{
  struct clients *clients = connection->owner;
  if (connection->greeted)
    return clients->request(clients->context, connection->number, type, reader);
  if (type == HELLO)
    return greet(clients, connection, reader);
  /* After LIST the connection stays open, so that its end shows the end of the keeper. */
  return type == LIST && finished(reader) && put_held(&connection->out, clients->processes);
}

static bool may_ask(const struct connection *connection)
{
  const struct clients *clients = connection->owner;
  return !answers_clogged(clients->answers);
}

static void on_closed(struct connection *connection)
{
  struct clients *clients = connection->owner;
  if (clients->client != connection)
    return;
  clients->client = NULL;
  clients->finder->excluded = 0;
}

static const struct connection_events EVENTS = {.frame = on_frame, .may_ask = may_ask, .closed = on_closed};

/* Where all places are taken, the oldest without HELLO is closed. */
static struct connection *free_place(struct clients *clients)
{
  struct connection *oldest = NULL;
  for (int i = 0; i < MAX_CONNECTIONS; i++) {
    struct connection *connection = &clients->connections[i];
    if (connection->source.fd < 0)
      return connection;
    if (!connection->greeted && (oldest == NULL || connection->number < oldest->number))
      oldest = connection;
  }
  connection_close(oldest);
  return oldest;
}

static void take_spare(struct clients *clients)
{
  clients->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void turn_away(struct clients *clients)
{
  if (clients->spare >= 0)
    close(clients->spare);
  int fd = accept4(clients->listener.fd, NULL, NULL, SOCK_CLOEXEC);
  if (fd >= 0)
    close(fd);
  take_spare(clients);
}

static void listener_ready(struct source *source, uint32_t events)
{
  (void)events;
  struct clients *clients = (struct clients *)(void *)((char *)source - offsetof(struct clients, listener));
  int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    if (errno == EMFILE || errno == ENFILE)
      turn_away(clients);
    return;
  }
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 || peer.uid != geteuid()) {
    close(fd);
    return;
  }
  struct connection *connection = free_place(clients);
  *connection = (struct connection){
      .source = {.fd = fd},
      .events = &EVENTS,
      .owner = clients,
      .number = ++clients->last_number,
      .pid = peer.pid,
  };
  connection_open(connection, source->loop);
}

void clients_open(struct clients *clients, int listening)
{
  for (int i = 0; i < MAX_CONNECTIONS; i++)
    clients->connections[i].source.fd = -1;
  take_spare(clients);
  if (clients->spare < 0)
    log_fatal("open", "/dev/null");
  clients->listener = (struct source){.fd = listening, .ready = listener_ready};
  if (!loop_add(clients->processes->loop, &clients->listener, EPOLLIN))
    log_fatal("epoll_ctl", "socket");
}

bool has_client(const struct clients *clients)
{
  return clients->client != NULL;
}

bool clients_idle(const struct clients *clients)
{
  const struct connection *client = clients->client;
  return client == NULL || (client->out.length == 0 && clients->processes->changed == NULL);
}

int clients_flush(struct clients *clients, int64_t now)
{
  struct connection *client = clients->client;
  bool reads = client != NULL && !client->deaf;
  answers_flush(clients->answers, reads ? &client->out : NULL, reads ? client->number : 0);
  int wait = announce(clients->announcer, client == NULL ? NULL : &client->out, now);
  for (int i = 0; i < MAX_CONNECTIONS; i++)
    connection_flush(&clients->connections[i]);
  client = clients->client;
  /* What found no room continues at once if the socket took what was before it. */
  bool more = client != NULL && anything_to_announce(clients->announcer) && wait < 0 && client->out.length == 0;
  return more ? 0 : wait;
}
