#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "process.h"

#define MIN_SEGMENT_BYTES 4096u
#define MAX_SEGMENT_BYTES (1024u * 1024 * 1024)
#define MAX_SEGMENTS 256u
#define ORDER_FILE_ENTRIES 65536u
#define ORDER_FILES 32u
#define ENTRY_BYTES 8
#define COPY_BYTES (64u * 1024)
/* A stream that has brought so much gets a wider pipe; the system may refuse. */
#define BULK_BYTES (1024u * 1024)
#define BULK_PIPE_BYTES (512 * 1024)

static const char *output_directory = ".";
static const char *const KINDS[] = {"stdout", "stderr", "pty"};
static uint8_t copy_buffer[COPY_BYTES];

void output_open(const char *directory)
{
  output_directory = directory;
}

static void path_of(char path[PATH_MAX], const char *id, const char *kind, uint64_t number)
{
  snprintf(path, PATH_MAX, "%s/%s.%s.%" PRIu64, output_directory, id, kind, number);
}

static void discard_file(const char *id, const char *kind, uint64_t number)
{
  char path[PATH_MAX];
  path_of(path, id, kind, number);
  /* One that cannot be unlinked is found again by the daemon's retention. */
  unlink(path);
}

static void discard_segment(const struct stream *stream, uint64_t start)
{
  discard_file(stream->process->id, KINDS[stream->number], start);
}

/* ---- order ---- */

void order_close(struct order *order)
{
  if (order->file >= 0)
    close(order->file);
  order->file = -1;
}

static bool order_write(struct order *order, const char *id, uint64_t entry)
{
  uint64_t index = order->count % ORDER_FILE_ENTRIES;
  if (index == 0)
    order_close(order);
  if (order->file < 0) {
    char path[PATH_MAX];
    path_of(path, id, "order", order->count / ORDER_FILE_ENTRIES);
    int flags = O_WRONLY | O_CLOEXEC | (index == 0 ? O_CREAT | O_TRUNC : 0);
    order->file = open(path, flags, 0600);
    if (order->file < 0)
      return false;
  }
  uint8_t bytes[ENTRY_BYTES];
  for (int i = 0; i < ENTRY_BYTES; i++)
    bytes[i] = (uint8_t)(entry >> (8 * i));
  /* At its own position, so that the next entry overwrites one that a full disk cut short. */
  return pwrite(order->file, bytes, ENTRY_BYTES, (off_t)(index * ENTRY_BYTES)) == ENTRY_BYTES;
}

/* `speaks` has grown. An entry the disk refuses is lost: order is then a guess, no byte is. */
static void order_note(struct process *process, enum stream_number speaks)
{
  struct order *order = &process->order;
  int before = order->speaking;
  order->speaking = (int)speaks;
  if (before < 0 || before == (int)speaks || process->discarded)
    return;
  uint64_t file = order->count / ORDER_FILE_ENTRIES;
  bool opens = order->count % ORDER_FILE_ENTRIES == 0;
  uint64_t entry = process->streams[before].end | (before == STDERR_STREAM ? UINT64_C(1) << 63 : 0);
  if (!order_write(order, process->id, entry)) {
    order_close(order);
    if (opens)
      discard_file(process->id, "order", file);
    return;
  }
  order->count++;
  if (opens && file >= ORDER_FILES)
    discard_file(process->id, "order", file - ORDER_FILES);
  process_changed(process);
}

void order_discard(struct order *order, const char *id)
{
  order_close(order);
  if (order->count == 0)
    return;
  uint64_t last = (order->count - 1) / ORDER_FILE_ENTRIES;
  uint64_t first = last >= ORDER_FILES ? last - ORDER_FILES + 1 : 0;
  for (uint64_t file = first; file <= last; file++)
    discard_file(id, "order", file);
}

/* ---- segments ---- */

static struct segment *newest(struct stream *stream)
{
  return stream->count == 0 ? NULL : &stream->segments[stream->count - 1];
}

static uint32_t room_in_segment(struct stream *stream)
{
  const struct segment *segment = newest(stream);
  if (stream->file < 0 || segment == NULL)
    return 0;
  uint64_t length = segment->end - segment->start;
  return length < stream->segment_bytes ? stream->segment_bytes - (uint32_t)length : 0;
}

static void close_segment(struct stream *stream)
{
  if (stream->file >= 0)
    close(stream->file);
  stream->file = -1;
}

static void drop_oldest(struct stream *stream)
{
  discard_segment(stream, stream->segments[0].start);
  stream->count--;
  memmove(stream->segments, stream->segments + 1, stream->count * sizeof *stream->segments);
  stream->first = stream->count == 0 ? stream->end : stream->segments[0].start;
}

static uint64_t retained(const struct stream *stream)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < stream->count; i++)
    sum += stream->segments[i].end - stream->segments[i].start;
  return sum;
}

static void make_room(struct stream *stream)
{
  while (stream->count > 1 &&
         (retained(stream) > stream->cap - stream->segment_bytes || stream->count >= MAX_SEGMENTS))
    drop_oldest(stream);
}

static bool reserve_segment(struct stream *stream)
{
  if (stream->count < stream->capacity)
    return true;
  uint32_t capacity = stream->capacity == 0 ? 4 : stream->capacity * 2;
  struct segment *segments = realloc(stream->segments, capacity * sizeof *segments);
  if (segments == NULL)
    return false;
  stream->segments = segments;
  stream->capacity = capacity;
  return true;
}

/* Opens a file for the segment that begins at the end so far; it counts only once a byte is in it. */
static bool begin_segment(struct stream *stream)
{
  close_segment(stream);
  make_room(stream);
  if (!reserve_segment(stream))
    return false;
  char path[PATH_MAX];
  path_of(path, stream->process->id, KINDS[stream->number], stream->end);
  stream->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (stream->file < 0)
    return false;
  stream->segments[stream->count++] = (struct segment){stream->end, stream->end};
  return true;
}

/* Takes back a segment that got no byte, so that a full disk leaves no empty files. */
static void abandon_empty_segment(struct stream *stream)
{
  const struct segment *segment = newest(stream);
  if (stream->file < 0 || segment == NULL || segment->end > segment->start)
    return;
  close_segment(stream);
  discard_segment(stream, segment->start);
  stream->count--;
}

static void stored(struct stream *stream, uint64_t bytes)
{
  struct segment *segment = newest(stream);
  segment->end += bytes;
  stream->end = segment->end;
}

/* ---- from the pipe ---- */

static void store_copy(struct stream *stream, const uint8_t *bytes, size_t length)
{
  size_t done = 0;
  while (done < length) {
    if (room_in_segment(stream) == 0 && !begin_segment(stream))
      break;
    size_t piece = length - done;
    if (piece > room_in_segment(stream))
      piece = room_in_segment(stream);
    const struct segment *segment = newest(stream);
    ssize_t count = pwrite(stream->file, bytes + done, piece, (off_t)(segment->end - segment->start));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    stored(stream, (uint64_t)count);
    done += (size_t)count;
  }
  if (done == length)
    return;
  abandon_empty_segment(stream);
  close_segment(stream);
  stream->end += length - done;
}

/* Reads and either stores or, where the disk has refused, counts. As read(2) answers. */
static ssize_t copy(struct stream *stream, bool store)
{
  ssize_t count = read(stream->source.fd, copy_buffer, sizeof copy_buffer);
  if (count <= 0 || stream->process->discarded)
    return count;
  if (store)
    store_copy(stream, copy_buffer, (size_t)count);
  else
    stream->end += (uint64_t)count;
  return count;
}

/* Moves what is there, or a part; 0 at the end, -1 with errno as read(2). */
static ssize_t transfer(struct stream *stream)
{
  if (stream->process->discarded || stream->copies)
    return copy(stream, true);
  if (room_in_segment(stream) == 0 && !begin_segment(stream))
    return copy(stream, false);
  const struct segment *segment = newest(stream);
  loff_t at = (loff_t)(segment->end - segment->start);
  ssize_t count =
      splice(stream->source.fd, NULL, stream->file, &at, room_in_segment(stream), SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (count > 0) {
    stored(stream, (uint64_t)count);
    return count;
  }
  int error = errno;
  abandon_empty_segment(stream);
  errno = error;
  if (count == 0 || error == EAGAIN || error == EINTR)
    return count;
  if (error == EINVAL || error == ENOSYS) {
    stream->copies = true;
    return copy(stream, true);
  }
  close_segment(stream);
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

static void end_stream(struct stream *stream)
{
  close_segment(stream);
  loop_close(&stream->source);
  process_stream_ended(stream->process);
}

static void stream_ready(struct source *source, uint32_t events)
{
  struct stream *stream = (struct stream *)source;
  if (!(events & EPOLLIN)) {
    end_stream(stream);
    return;
  }
  ssize_t count = transfer(stream);
  if (count > 0) {
    if (stream->number != PTY_STREAM)
      order_note(stream->process, stream->number);
    widen(stream);
    process_changed(stream->process);
    return;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  /* EIO is how a terminal says that nobody has it open any more. */
  end_stream(stream);
}

bool stream_open(struct stream *stream, struct process *process, enum stream_number number, int fd, uint64_t cap,
                 uint32_t segment_bytes)
{
  if (segment_bytes < MIN_SEGMENT_BYTES)
    segment_bytes = MIN_SEGMENT_BYTES;
  if (segment_bytes > MAX_SEGMENT_BYTES)
    segment_bytes = MAX_SEGMENT_BYTES;
  if (cap < 2 * (uint64_t)segment_bytes)
    cap = 2 * (uint64_t)segment_bytes;
  *stream = (struct stream){
      .source = {.fd = fd, .ready = stream_ready},
      .process = process,
      .number = number,
      .copies = number == PTY_STREAM,
      .file = -1,
      .segment_bytes = segment_bytes,
      .cap = cap,
  };
  if (loop_add(&stream->source, EPOLLIN))
    return true;
  int error = errno;
  close(fd);
  stream->source.fd = -1;
  errno = error;
  return false;
}

void stream_discard(struct stream *stream)
{
  close_segment(stream);
  while (stream->count > 0)
    drop_oldest(stream);
}

void stream_free(struct stream *stream)
{
  close_segment(stream);
  loop_close(&stream->source);
  free(stream->segments);
  stream->segments = NULL;
  stream->count = stream->capacity = 0;
}
