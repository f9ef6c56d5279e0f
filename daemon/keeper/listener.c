#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "complain.h"
#include "connection.h"
#include "loop.h"

static struct source listener;
/* Closed for a moment where no descriptor is left, so that a peer can be accepted and closed: else the loop spins. */
static int spare = -1;

static void take_spare(void)
{
  spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void turn_away(int listening)
{
  if (spare >= 0)
    close(spare);
  int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
  if (fd >= 0)
    close(fd);
  take_spare();
}

static void listener_ready(struct source *source, uint32_t events)
{
  (void)events;
  int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    if (errno == EMFILE || errno == ENFILE)
      turn_away(source->fd);
    return;
  }
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 || peer.uid != geteuid()) {
    close(fd);
    return;
  }
  connection_open(fd, peer.pid);
}

void listen_on(int listening)
{
  take_spare();
  if (spare < 0)
    give_up("open", "/dev/null");
  listener = (struct source){.fd = listening, .ready = listener_ready};
  if (!loop_add(&listener, EPOLLIN))
    give_up("epoll_ctl", "socket");
}
