#include "streams/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIN_BYTES 4096u
#define MAX_BYTES (1024u * 1024 * 1024)
#define MAX_SEGMENTS 256u

struct segments segments_of(const struct output_files *files, const char *kind, uint64_t cap, uint32_t bytes_each)
{
  if (bytes_each < MIN_BYTES)
    bytes_each = MIN_BYTES;
  if (bytes_each > MAX_BYTES)
    bytes_each = MAX_BYTES;
  if (cap < 2 * (uint64_t)bytes_each)
    cap = 2 * (uint64_t)bytes_each;
  return (struct segments){.files = files, .kind = kind, .file = -1, .bytes_each = bytes_each, .cap = cap};
}

void segments_close(struct segments *segments)
{
  if (segments->file >= 0)
    close(segments->file);
  segments->file = -1;
}

static void drop_oldest(struct segments *segments, uint64_t end)
{
  output_file_discard(segments->files, segments->kind, segments->items[0].start);
  segments->count--;
  memmove(segments->items, segments->items + 1, segments->count * sizeof *segments->items);
  segments->first = segments->count == 0 ? end : segments->items[0].start;
}

static uint64_t retained(const struct segments *segments)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < segments->count; i++)
    sum += segments->items[i].end - segments->items[i].start;
  return sum;
}

static void make_room(struct segments *segments, uint64_t end)
{
  while (segments->count > 1 &&
         (retained(segments) > segments->cap - segments->bytes_each || segments->count >= MAX_SEGMENTS))
    drop_oldest(segments, end);
}

static bool reserve(struct segments *segments)
{
  if (segments->count < segments->capacity)
    return true;
  uint32_t capacity = segments->capacity == 0 ? 4 : segments->capacity * 2;
  struct segment *items = realloc(segments->items, capacity * sizeof *items);
  if (items == NULL) {
    errno = ENOMEM;
    return false;
  }
  segments->items = items;
  segments->capacity = capacity;
  return true;
}

static bool begin(struct segments *segments, uint64_t end)
{
  segments_close(segments);
  make_room(segments, end);
  if (!reserve(segments))
    return false;
  segments->file = output_file_open(segments->files, segments->kind, end, O_CREAT | O_EXCL);
  if (segments->file < 0)
    return false;
  segments->items[segments->count++] = (struct segment){end, end};
  return true;
}

uint32_t segments_room(struct segments *segments, uint64_t end, int64_t *at)
{
  const struct segment *newest = segments->file < 0 ? NULL : &segments->items[segments->count - 1];
  if (newest == NULL || newest->end - newest->start >= segments->bytes_each) {
    if (!begin(segments, end))
      return 0;
    newest = &segments->items[segments->count - 1];
  }
  *at = (int64_t)(newest->end - newest->start);
  return segments->bytes_each - (uint32_t)*at;
}

void segments_stored(struct segments *segments, uint64_t bytes)
{
  segments->items[segments->count - 1].end += bytes;
}

size_t segments_write(struct segments *segments, uint64_t end, const uint8_t *bytes, size_t length)
{
  size_t done = 0;
  while (done < length) {
    int64_t at;
    size_t piece = segments_room(segments, end + done, &at);
    if (piece == 0)
      break;
    if (piece > length - done)
      piece = length - done;
    ssize_t count = pwrite(segments->file, bytes + done, piece, (off_t)at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    segments_stored(segments, (uint64_t)count);
    done += (size_t)count;
  }
  return done;
}

void segments_abandon_empty(struct segments *segments)
{
  if (segments->file < 0)
    return;
  const struct segment *newest = &segments->items[segments->count - 1];
  if (newest->end > newest->start)
    return;
  segments_close(segments);
  output_file_discard(segments->files, segments->kind, newest->start);
  segments->count--;
}

void segments_trim(struct segments *segments, uint64_t first, uint64_t end)
{
  while (segments->count > 1 && segments->items[0].start < first)
    drop_oldest(segments, end);
}

void segments_discard(struct segments *segments, uint64_t end)
{
  segments_close(segments);
  while (segments->count > 0)
    drop_oldest(segments, end);
}

void segments_free(struct segments *segments)
{
  segments_close(segments);
  free(segments->items);
  segments->items = NULL;
  segments->count = segments->capacity = 0;
}
