#include "loop.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "complain.h"

#define BATCH 64

static int epoll_fd = -1;

void loop_open(void)
{
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0)
    give_up("epoll_create1", NULL);
}

bool loop_add(struct source *source, uint32_t events)
{
  struct epoll_event event = {.events = events, .data.ptr = source};
  return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, source->fd, &event) == 0;
}

void loop_change(struct source *source, uint32_t events)
{
  struct epoll_event event = {.events = events, .data.ptr = source};
  if (source->fd >= 0 && epoll_ctl(epoll_fd, EPOLL_CTL_MOD, source->fd, &event) < 0)
    complain("epoll_ctl", "change");
}

void loop_remove(const struct source *source)
{
  if (source->fd >= 0)
    epoll_ctl(epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
}

void loop_close(struct source *source)
{
  if (source->fd < 0)
    return;
  loop_remove(source);
  close(source->fd);
  source->fd = -1;
}

void loop_turn(int timeout)
{
  struct epoll_event events[BATCH];
  int count = epoll_wait(epoll_fd, events, BATCH, timeout);
  if (count < 0 && errno != EINTR)
    give_up("epoll_wait", NULL);
  for (int i = 0; i < count; i++) {
    struct source *source = events[i].data.ptr;
    if (source->fd >= 0)
      source->ready(source, events[i].events);
  }
}
