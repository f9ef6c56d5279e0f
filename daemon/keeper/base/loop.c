#include "base/loop.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"

#define BATCH 64

void loop_open(struct loop *loop)
{
  *loop = (struct loop){.fd = epoll_create1(EPOLL_CLOEXEC)};
  if (loop->fd < 0)
    log_fatal("epoll_create1", NULL);
}

bool loop_add(struct loop *loop, struct source *source, uint32_t events)
{
  struct epoll_event event = {.events = events, .data.ptr = source};
  source->loop = loop;
  return epoll_ctl(loop->fd, EPOLL_CTL_ADD, source->fd, &event) == 0;
}

void loop_change(struct source *source, uint32_t events)
{
  struct epoll_event event = {.events = events, .data.ptr = source};
  if (source->fd >= 0 && epoll_ctl(source->loop->fd, EPOLL_CTL_MOD, source->fd, &event) < 0)
    log_error("epoll_ctl", "change");
}

void loop_remove(const struct source *source)
{
  if (source->fd >= 0 && source->loop != NULL)
    epoll_ctl(source->loop->fd, EPOLL_CTL_DEL, source->fd, NULL);
}

void loop_close(struct source *source)
{
  if (source->fd < 0)
    return;
  loop_remove(source);
  close(source->fd);
  source->fd = -1;
}

void loop_turn(struct loop *loop, int timeout)
{
  struct epoll_event events[BATCH];
  int count = epoll_wait(loop->fd, events, BATCH, timeout);
  if (count < 0 && errno != EINTR)
    log_fatal("epoll_wait", NULL);
  for (int i = 0; i < count; i++) {
    struct source *source = events[i].data.ptr;
    if (source->fd >= 0)
      source->ready(source, events[i].events);
  }
}

void loop_free_later(struct loop *loop, void *memory)
{
  void **link = memory;
  *link = loop->removed;
  loop->removed = link;
}

void loop_free_removed(struct loop *loop)
{
  while (loop->removed != NULL) {
    void **link = loop->removed;
    loop->removed = *link;
    free(link);
  }
}
