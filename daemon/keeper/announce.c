#include "announce.h"

#include <stdlib.h>

#include "process.h"
#include "reap.h"

/* Output of this many bytes within this time after the last announcement is bulk, and its announcement is delayed. */
#define BULK_BYTES (32u * 1024)
#define DELAY_MS 1
/*
 * Credit is returned in pieces of this many bytes, so that a typed key wakes the client once, by its echo. A smaller
 * amount is owed while the client has some left.
 */
#define CREDIT_BYTES (INPUT_WINDOW / 4)
/* More than one HELD frame takes. */
#define HELD_ROOM 128u
/* More than the fields of STATE take apart from segments and record, and than one segment takes. */
#define STATE_ROOM 512u
#define SEGMENT_ROOM 16u

/* SYNCED was not sent yet. */
static bool syncing;
/* Number of the connection that is announced to. */
static uint64_t client;

static const struct announced_process NOT_ANNOUNCED = {.awaited = true};

void announce_anew(uint64_t number)
{
  syncing = true;
  client = number;
  for (struct process *process = first_process(); process != NULL; process = process->next) {
    process->announced = NOT_ANNOUNCED;
    for (int i = 0; i < process->stream_count; i++)
      process->streams[i].announced = 0;
    process_changed(process);
  }
}

static void say_failed(struct writer *writer, const struct process *process)
{
  begin_frame(writer, FAILED);
  put_string(writer, process->id);
  put_u8(writer, (uint8_t)process->failure.stage);
  put_u32(writer, (uint32_t)process->failure.error);
  end_frame(writer);
}

/* The segments that have grown since the last announcement. */
static void put_segments(struct writer *writer, const struct stream *stream)
{
  const struct segments *segments = &stream->segments;
  uint32_t last = segments->count;
  /* An empty one may be removed again. */
  if (last > 0 && segments->items[last - 1].end == segments->items[last - 1].start)
    last--;
  uint32_t next = last;
  while (next > 0 && segments->items[next - 1].end > stream->announced)
    next--;
  put_u32(writer, last - next);
  for (; next < last; next++) {
    put_u64(writer, segments->items[next].start);
    put_u64(writer, segments->items[next].end);
  }
}

static void put_stream(struct writer *writer, struct stream *stream)
{
  put_u8(writer, (uint8_t)stream->number);
  put_u8(writer, stream->source.fd < 0);
  put_u64(writer, stream->segments.first);
  put_u64(writer, stream->end);
  put_segments(writer, stream);
  stream->announced = stream->end;
}

static void put_input(struct writer *writer, struct process *process)
{
  struct input *input = &process->input;
  bool open = input->source.fd >= 0;
  if (open)
    input->limit = input_limit(input);
  put_u8(writer, open && !input->ends);
  put_u64(writer, input->taken);
  put_u64(writer, input->limit);
  process->announced.limit = input->limit;
}

static void put_end(struct writer *writer, const struct end *end)
{
  put_u8(writer, end->by_signal);
  put_u32(writer, end->value);
  put_u64(writer, end->user_us);
  put_u64(writer, end->system_us);
  put_u64(writer, end->max_rss);
  put_u8(writer, end->oom_killed);
  put_u8(writer, end->background);
  put_u64(writer, (uint64_t)end->at);
}

static void say_state(struct writer *writer, struct process *process)
{
  begin_frame(writer, STATE);
  put_string(writer, process->id);
  put_u32(writer, (uint32_t)process->pid);
  put_u8(writer, process->phase == RUNNING ? 0 : process->phase == DRAINING ? 1 : 2);
  put_u8(writer, (uint8_t)process->stdin_kind);
  put_input(writer, process);
  put_u8(writer, process->stream_count);
  for (int i = 0; i < process->stream_count; i++)
    put_stream(writer, &process->streams[i]);
  put_u64(writer, process->order.count);
  if (process->phase == ENDED)
    put_end(writer, &process->end);
  bool returns = !process->announced.introduced && process->client != client;
  put_string(writer, process->forker);
  put_u8(writer, returns);
  if (returns)
    put_bytes(writer, process->record.bytes, process->record.length);
  end_frame(writer);
  process->announced.introduced = true;
}

static bool any_byte_new(const struct process *process)
{
  for (int i = 0; i < process->stream_count; i++)
    if (process->streams[i].end > process->streams[i].announced)
      return true;
  return false;
}

static bool is_bulk(const struct process *process)
{
  uint64_t bytes = 0;
  for (int i = 0; i < process->stream_count; i++)
    bytes += process->streams[i].end - process->streams[i].announced;
  return bytes >= BULK_BYTES;
}

/* A change of stdin alone is announced where the client waits for it. */
static bool owes_little(const struct process *process)
{
  const struct input *input = &process->input;
  return input->source.fd >= 0 && !input->ends && process->open_streams == process->stream_count &&
         process->announced.introduced && !any_byte_new(process) && input_limit(input) > process->announced.limit &&
         input_limit(input) - process->announced.limit < CREDIT_BYTES && process->phase == RUNNING &&
         process->announced.limit > input->taken;
}

/*
 * Most processes end right after their start, or right after their streams: both in one frame wake the client once.
 * Bulk output is announced once per DELAY_MS.
 */
static bool is_delayed(struct process *process, int64_t now)
{
  struct announced_process *announced = &process->announced;
  if (announced->awaited || process->phase == ENDED)
    return false;
  bool may_end = (!announced->introduced && !process->prompt) || (process->open_streams == 0 && announced->introduced);
  if (may_end && announced->ending_at == 0)
    announced->ending_at = now;
  if (may_end && now - announced->ending_at < DELAY_MS)
    return true;
  return announced->introduced && is_bulk(process) && now - announced->at < DELAY_MS;
}

/* Room for its STATE, with an empty buffer made larger where that is not enough. */
static bool make_room(struct writer *writer, const struct process *process)
{
  size_t room = ANSWER_ROOM + STATE_ROOM + process->record.length;
  for (int i = 0; i < process->stream_count; i++)
    room += process->streams[i].segments.count * SEGMENT_ROOM;
  if (has_room(writer, room))
    return true;
  if (writer->length > 0 || writer->capacity >= room)
    return false;
  uint8_t *bytes = realloc(writer->bytes, room);
  if (bytes == NULL)
    return false;
  writer->bytes = bytes;
  writer->capacity = room;
  return true;
}

enum progress { ANNOUNCED, DELAYED, NO_ROOM, STILL_STARTING };

static enum progress announce_process(struct writer *writer, struct process *process, int64_t now)
{
  if (process->phase == STARTING)
    return STILL_STARTING;
  /* It is announced once there is a process. */
  if (process->phase == RESERVED)
    return ANNOUNCED;
  if (!make_room(writer, process))
    return NO_ROOM;
  if (process->phase == UNSTARTED && process->client == client)
    say_failed(writer, process);
  if (process->phase == UNSTARTED || owes_little(process))
    return ANNOUNCED;
  if (is_delayed(process, now))
    return DELAYED;
  say_state(writer, process);
  process->announced.at = now;
  process->announced.ending_at = 0;
  return ANNOUNCED;
}

static bool any_awaited(void)
{
  for (const struct process *process = first_process(); process != NULL; process = process->next)
    if (process->announced.awaited)
      return true;
  return false;
}

bool anything_to_announce(void)
{
  return any_changed() || (syncing && !any_awaited());
}

static void announce_synced(struct writer *writer)
{
  if (!syncing || !has_room(writer, ANSWER_ROOM + FRAME_ROOM) || any_awaited())
    return;
  begin_frame(writer, SYNCED);
  end_frame(writer);
  syncing = false;
}

int announce(struct writer *writer, int64_t now)
{
  int wait = -1;
  struct process *next;
  for (struct process *process = take_changed(); process != NULL; process = next) {
    next = process->next_changed;
    enum progress progress = writer == NULL ? ANNOUNCED : announce_process(writer, process, now);
    if (progress == DELAYED || progress == NO_ROOM)
      process_changed(process);
    if (progress == DELAYED)
      wait = DELAY_MS;
    /* The end of its start changes it. */
    if (progress == NO_ROOM || progress == STILL_STARTING)
      continue;
    process->announced.awaited = false;
    if (progress == ANNOUNCED)
      process_settled(process);
  }
  if (writer != NULL)
    announce_synced(writer);
  return wait;
}

bool announce_held(struct writer *writer)
{
  size_t capacity = (process_count() + 1) * HELD_ROOM;
  if (writer->length > 0)
    return false;
  if (capacity > writer->capacity) {
    uint8_t *bytes = realloc(writer->bytes, capacity);
    if (bytes == NULL)
      return false;
    writer->bytes = bytes;
    writer->capacity = capacity;
  }
  for (const struct process *process = first_process(); process != NULL; process = process->next) {
    if (process->phase == UNSTARTED || process->phase == RESERVED || process->phase == ENDED)
      continue;
    begin_frame(writer, HELD);
    put_string(writer, process->id);
    put_u32(writer, (uint32_t)process->pid);
    end_frame(writer);
  }
  begin_frame(writer, LISTED);
  end_frame(writer);
  return true;
}
