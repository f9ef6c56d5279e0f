#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/frame.h"
#include "base/log.h"

/* A path, its length, and two numbers. */
#define MAX_REQUEST (PATH_MAX + 64)
#define OUT_BYTES (64u * 1024)
/* An event with the longest name. */
#define EVENT_ROOM 512

/* Passes inotify(7) on to its parent, over stdin and stdout (docs/keeper.md, Watching). */
struct watcher {
  int inotify;
  size_t in_length;
  uint8_t in[MAX_REQUEST];
  struct writer out;
  uint8_t out_bytes[OUT_BYTES];
  _Alignas(struct inotify_event) char events[32 * 1024];
};

/* Waits while the reader does not read: events stay in the queue of the kernel meanwhile. */
static bool send_out(struct watcher *watcher)
{
  struct writer *out = &watcher->out;
  for (size_t done = 0; done < out->length;) {
    ssize_t count = write(1, out->bytes + done, out->length - done);
    if (count < 0 && errno == EAGAIN) {
      struct pollfd writable = {.fd = 1, .events = POLLOUT};
      poll(&writable, 1, -1);
      continue;
    }
    if (count < 0 && errno != EINTR)
      return false;
    done += count > 0 ? (size_t)count : 0;
  }
  out->length = 0;
  return true;
}

static void on_add(struct watcher *watcher, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  uint32_t mask = take_u32(reader);
  const char *path = take_string(reader);
  if (!finished(reader))
    return;
  int added = inotify_add_watch(watcher->inotify, path, mask);
  begin_frame(&watcher->out, WATCH_ADDED);
  put_u32(&watcher->out, request);
  put_u32(&watcher->out, added < 0 ? 0 : (uint32_t)added);
  put_u32(&watcher->out, added < 0 ? (uint32_t)errno : 0);
  end_frame(&watcher->out);
}

static void on_remove(const struct watcher *watcher, struct reader *reader)
{
  uint32_t removed = take_u32(reader);
  /* A watch that is gone already, since its directory was removed, is not an error. */
  if (finished(reader) && removed <= INT_MAX)
    inotify_rm_watch(watcher->inotify, (int)removed);
}

static bool handle(struct watcher *watcher, uint8_t type, struct reader *reader)
{
  if (type == WATCH_ADD)
    on_add(watcher, reader);
  else if (type == WATCH_REMOVE)
    on_remove(watcher, reader);
  else
    return false;
  return finished(reader);
}

/* False at the end of stdin, or if a frame is not well formed. */
static bool take_requests(struct watcher *watcher)
{
  uint8_t *in = watcher->in;
  ssize_t count = read(0, in + watcher->in_length, MAX_REQUEST - watcher->in_length);
  if (count <= 0)
    return count < 0 && (errno == EINTR || errno == EAGAIN);
  watcher->in_length += (size_t)count;
  size_t start = 0;
  while (watcher->in_length - start >= 4) {
    uint32_t length = read_u32(in + start);
    if (length == 0 || length > MAX_REQUEST - 4)
      return false;
    if (watcher->in_length - start < 4 + (size_t)length)
      break;
    struct reader reader = {.at = in + start + 5, .left = length - 1};
    if (!handle(watcher, in[start + 4], &reader) || (!has_room(&watcher->out, EVENT_ROOM) && !send_out(watcher)))
      return false;
    start += 4 + (size_t)length;
  }
  memmove(in, in + start, watcher->in_length - start);
  watcher->in_length -= start;
  return send_out(watcher);
}

static void put_event(struct writer *out, const struct inotify_event *event)
{
  begin_frame(out, WATCH_EVENT);
  put_u32(out, (uint32_t)event->wd);
  put_u32(out, event->mask);
  put_u32(out, event->cookie);
  put_string(out, event->len > 0 ? event->name : "");
  end_frame(out);
}

/* False if stdout is closed; adds the bytes that were read to `*passed`. */
static bool pass_events_on(struct watcher *watcher, ssize_t *passed)
{
  char *events = watcher->events;
  ssize_t length = read(watcher->inotify, events, sizeof watcher->events);
  if (length < 0)
    return errno == EINTR || errno == EAGAIN;
  *passed += length;
  for (char *at = events; at < events + length;) {
    const struct inotify_event *event = (const struct inotify_event *)(void *)at;
    if (!has_room(&watcher->out, EVENT_ROOM) && !send_out(watcher))
      return false;
    put_event(&watcher->out, event);
    at += sizeof *event + event->len;
  }
  return send_out(watcher);
}

/* Earlier events are sent before the answers to requests, which so confirm that none are left. */
static bool pass_all_on(struct watcher *watcher)
{
  int there = 0;
  if (ioctl(watcher->inotify, FIONREAD, &there) < 0)
    return false;
  ssize_t passed = 0;
  for (ssize_t before = -1; passed < there && passed > before;) {
    before = passed;
    if (!pass_events_on(watcher, &passed))
      return false;
  }
  return true;
}

static int watch(struct watcher *watcher)
{
  struct pollfd sources[] = {{.fd = 0, .events = POLLIN}, {.fd = watcher->inotify, .events = POLLIN}};
  for (;;) {
    if (poll(sources, 2, -1) < 0) {
      if (errno == EINTR)
        continue;
      log_fatal("poll", NULL);
    }
    if (!pass_all_on(watcher))
      return 1;
    if (sources[0].revents != 0 && !take_requests(watcher))
      return 0;
  }
}

int main(void)
{
  static struct watcher watcher;
  watcher.out = (struct writer){.bytes = watcher.out_bytes, .capacity = OUT_BYTES};
  watcher.inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (watcher.inotify < 0)
    log_fatal("inotify_init1", NULL);
  return watch(&watcher);
}
