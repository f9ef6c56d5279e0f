#include "streams/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

/* A stream of this many bytes gets a larger pipe; the system may refuse. */
#define BULK_BYTES (1024u * 1024)
#define BULK_PIPE_BYTES (512 * 1024)

/* ms until a stream without a descriptor for its file is read again. */
#define PAUSE_MS 20

/*
 * Each event is reported once until the stream is armed again, so that streams come up in the order in which they were
 * written to: a stream that stays armed is at the head of the queue of epoll after its read, before one that was
 * written to since.
 */
#define ONE_EVENT (EPOLLIN | EPOLLONESHOT)

static const char *const KINDS[] = {"stdout", "stderr", "pty"};

static bool out_of_descriptors(void)
{
  return errno == EMFILE || errno == ENFILE;
}

/* Returns as read(2) if nothing is there. */
static ssize_t pause_stream(struct stream *stream)
{
  if (!stream->paused) {
    loop_remove(&stream->source);
    stream->paused = true;
    stream->next_paused = stream->outputs->paused;
    stream->outputs->paused = stream;
    stream->outputs->resume_at = monotonic_ms() + PAUSE_MS;
  }
  errno = EAGAIN;
  return -1;
}

static void leave_paused(struct stream *stream)
{
  struct stream **at = &stream->outputs->paused;
  while (*at != NULL && *at != stream)
    at = &(*at)->next_paused;
  if (*at != NULL)
    *at = stream->next_paused;
  stream->paused = false;
}

int streams_due(struct outputs *outputs, int64_t now)
{
  if (outputs->paused == NULL)
    return -1;
  if (now < outputs->resume_at)
    return (int)(outputs->resume_at - now);
  struct stream *list = outputs->paused;
  outputs->paused = NULL;
  for (struct stream *next; list != NULL; list = next) {
    next = list->next_paused;
    list->paused = false;
    if (!loop_add(outputs->loop, &list->source, ONE_EVENT))
      (void)pause_stream(list);
  }
  return PAUSE_MS;
}

/* Whether bytes are there for which a file has to be opened. */
static bool needs_file(const struct stream *stream)
{
  int there = 0;
  if (stream->segments.file >= 0)
    return false;
  return ioctl(stream->source.fd, FIONREAD, &there) < 0 || there > 0;
}

static void dropped(struct stream *stream, uint64_t bytes)
{
  stream->end += bytes;
  stream->outputs->dropped += bytes;
}

static void store_copy(struct stream *stream, const uint8_t *bytes, size_t length)
{
  size_t done = segments_write(&stream->segments, stream->end, bytes, length);
  stream->end += done;
  stream->outputs->stored += done;
  if (done == length)
    return;
  segments_abandon_empty(&stream->segments);
  segments_close(&stream->segments);
  dropped(stream, length - done);
}

/* Reads, then stores the bytes or, if the disk has refused, counts them. Returns as read(2). */
static ssize_t copy(struct stream *stream, bool store)
{
  bool keeps = store && !stream->discarded;
  int64_t at;
  if (keeps && needs_file(stream) && segments_room(&stream->segments, stream->end, &at) == 0 && out_of_descriptors())
    return pause_stream(stream);
  ssize_t count = read(stream->source.fd, stream->outputs->buffer, COPY_BYTES);
  if (count <= 0 && keeps) {
    int error = errno;
    segments_abandon_empty(&stream->segments);
    errno = error;
  }
  if (count <= 0 || stream->discarded)
    return count;
  if (store)
    store_copy(stream, stream->outputs->buffer, (size_t)count);
  else
    dropped(stream, (uint64_t)count);
  return count;
}

/* Moves the available bytes, or a part of them. Returns as read(2). */
static ssize_t transfer(struct stream *stream)
{
  if (stream->discarded || stream->copies)
    return copy(stream, true);
  int64_t start;
  size_t room = segments_room(&stream->segments, stream->end, &start);
  if (room == 0)
    return out_of_descriptors() ? pause_stream(stream) : copy(stream, false);
  loff_t at = (loff_t)start;
  ssize_t count =
      splice(stream->source.fd, NULL, stream->segments.file, &at, room, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (count > 0) {
    segments_stored(&stream->segments, (uint64_t)count);
    stream->end += (uint64_t)count;
    stream->outputs->stored += (uint64_t)count;
    return count;
  }
  int error = errno;
  segments_abandon_empty(&stream->segments);
  errno = error;
  if (count == 0 || error == EAGAIN || error == EINTR)
    return count;
  if (error == EINVAL || error == ENOSYS || error == EPERM) {
    stream->copies = true;
    return copy(stream, true);
  }
  segments_close(&stream->segments);
  return copy(stream, false);
}

static void widen(struct stream *stream)
{
  if (stream->widened || stream->end < BULK_BYTES)
    return;
  stream->widened = true;
  if (stream->number != PTY_STREAM)
    (void)fcntl(stream->source.fd, F_SETPIPE_SZ, BULK_PIPE_BYTES);
}

void stream_close(struct stream *stream)
{
  segments_close(&stream->segments);
  leave_paused(stream);
  loop_close(&stream->source);
  stream->events->ended(stream);
}

/* Number of bytes moved; 0 at the end of the stream, -1 if there is nothing now. */
static ssize_t take(struct stream *stream, uint32_t events)
{
  /*
   * A hang-up alone does not prove that nothing is left: the last bytes may have arrived between the two checks of the
   * kernel. They are read, not spliced, since there is hardly ever a byte to open a file for.
   */
  ssize_t count = events & EPOLLIN ? transfer(stream) : copy(stream, true);
  bool open = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  /* Before anyone learns of the bytes and can cause others by that. */
  if (open && !stream->paused)
    loop_change(&stream->source, ONE_EVENT);
  if (count > 0) {
    widen(stream);
    stream->events->grown(stream);
    return count;
  }
  if (open)
    return -1;
  /* A terminal that no process has open any more answers EIO. */
  stream_close(stream);
  return 0;
}

static void stream_ready(struct source *source, uint32_t events)
{
  (void)take((struct stream *)source, events);
}

void stream_catch_up(struct stream *stream)
{
  int there = 0;
  if (stream->source.fd < 0 || ioctl(stream->source.fd, FIONREAD, &there) < 0)
    return;
  /* One read more than that, which detects the end of the stream. */
  for (ssize_t left = there, count; left >= 0 && stream->source.fd >= 0; left -= count) {
    count = take(stream, EPOLLIN);
    if (count <= 0)
      return;
  }
}

bool stream_open(struct stream *stream, const struct stream_open *terms)
{
  *stream = (struct stream){
      .source = {.fd = terms->fd, .ready = stream_ready},
      .outputs = terms->outputs,
      .process = terms->process,
      .events = terms->events,
      .number = terms->number,
      .copies = terms->number == PTY_STREAM,
      .segments = segments_of(terms->files, KINDS[terms->number], terms->cap, terms->segment_bytes),
  };
  if (loop_add(terms->outputs->loop, &stream->source, ONE_EVENT))
    return true;
  int error = errno;
  close(terms->fd);
  stream->source.fd = -1;
  errno = error;
  return false;
}

void stream_trim(struct stream *stream, uint64_t first)
{
  segments_trim(&stream->segments, first, stream->end);
}

void stream_discard(struct stream *stream)
{
  stream->discarded = true;
  segments_discard(&stream->segments, stream->end);
}

void stream_free(struct stream *stream)
{
  segments_free(&stream->segments);
  leave_paused(stream);
  loop_close(&stream->source);
}
