#include "announce.h"

#include <stdlib.h>

#include "process.h"

/* Output of this many bytes within this time after the last announcement is bulk, and its announcement is delayed. */
#define BULK_BYTES (32u * 1024)
#define BULK_MS 1
/*
 * Credit is returned in pieces of this many bytes, so that a typed key wakes the client once, by its echo. A smaller
 * amount is owed while the client has some left.
 */
#define CREDIT_BYTES (INPUT_WINDOW / 4)
/* More than one HELD frame takes. */
#define HELD_ROOM 128u

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
    process->order.announced = 0;
    process->input.owed = 0;
    process->input.credit = process->input.source.fd < 0 ? 0 : INPUT_WINDOW - process->input.length;
    for (int i = 0; i < process->stream_count; i++)
      process->streams[i].announced = (struct announced_stream){0};
    process_changed(process);
  }
}

static bool may_say(const struct writer *writer, size_t bytes)
{
  return has_room(writer, ANSWER_ROOM + bytes);
}

static void say_started(struct writer *writer, const struct process *process)
{
  begin_frame(writer, STARTED);
  put_string(writer, process->id);
  put_u32(writer, (uint32_t)process->pid);
  put_u32(writer, process->input.credit);
  end_frame(writer);
}

static void say_failed(struct writer *writer, const struct process *process)
{
  begin_frame(writer, FAILED);
  put_string(writer, process->id);
  put_u8(writer, (uint8_t)process->failure.stage);
  put_u32(writer, (uint32_t)process->failure.error);
  end_frame(writer);
}

static void say_process(struct writer *writer, const struct process *process)
{
  begin_frame(writer, PROCESS);
  put_string(writer, process->id);
  put_u32(writer, (uint32_t)process->pid);
  put_u8(writer, (uint8_t)process->stdin_kind);
  put_u8(writer, process_lives(process));
  put_u8(writer, process->input.source.fd >= 0 && !process->input.ends);
  put_u32(writer, process->input.credit);
  put_u64(writer, process->input.taken);
  end_frame(writer);
}

/* The client that asked for the start gets its answer, any other the process. */
static void introduce(struct writer *writer, struct process *process)
{
  if (process->client == client)
    say_started(writer, process);
  else
    say_process(writer, process);
  process->announced.introduced = true;
}

static void say(struct writer *writer, enum frame_type type, const struct stream *stream, uint64_t value)
{
  begin_frame(writer, type);
  put_string(writer, stream->process->id);
  put_u8(writer, (uint8_t)stream->number);
  put_u64(writer, value);
  end_frame(writer);
}

/* False where there was no room for all of it. */
static bool announce_segments(struct writer *writer, struct stream *stream)
{
  struct announced_stream *announced = &stream->announced;
  const struct segments *segments = &stream->segments;
  if (segments->first > announced->first) {
    say(writer, DROPPED, stream, segments->first);
    announced->first = segments->first;
  }
  for (uint32_t i = 0; i < segments->count; i++) {
    const struct segment *segment = &segments->items[i];
    if (segment->end == segment->start || segment->end <= announced->end)
      continue;
    if (!may_say(writer, 3 * FRAME_ROOM))
      return false;
    if (segment->start >= announced->next) {
      say(writer, SEGMENT, stream, segment->start);
      announced->next = segment->start + 1;
    }
    say(writer, ADVANCE, stream, segment->end);
    announced->end = segment->end;
  }
  if (stream->end > announced->end) {
    say(writer, SKIP, stream, stream->end);
    announced->end = stream->end;
  }
  return true;
}

enum progress { ANNOUNCED, HELD_BACK, NO_ROOM, STILL_STARTING };

/* Most processes end right after their streams: EOF and EXIT in one message wake the client once. */
static bool awaits_end(struct announced_stream *announced, const struct process *process, int64_t now)
{
  if (announced->eof_at == 0)
    announced->eof_at = now;
  return process_lives(process) && !process->announced.awaited && now - announced->eof_at < BULK_MS;
}

static enum progress announce_stream(struct writer *writer, struct stream *stream, bool ended, int64_t now)
{
  struct announced_stream *announced = &stream->announced;
  bool eof = stream->source.fd < 0;
  if (stream->process->discarded)
    return ANNOUNCED;
  if (!may_say(writer, 4 * FRAME_ROOM))
    return NO_ROOM;
  if (!eof && !ended && stream->end - announced->end >= BULK_BYTES && now - announced->at < BULK_MS)
    return HELD_BACK;
  if (stream->end > announced->end || stream->segments.first > announced->first) {
    announced->at = now;
    if (!announce_segments(writer, stream))
      return NO_ROOM;
  }
  if (eof && !announced->eof) {
    if (!may_say(writer, FRAME_ROOM))
      return NO_ROOM;
    if (awaits_end(announced, stream->process, now))
      return HELD_BACK;
    begin_frame(writer, STREAM_EOF);
    put_string(writer, stream->process->id);
    put_u8(writer, (uint8_t)stream->number);
    end_frame(writer);
    announced->eof = true;
  }
  return ANNOUNCED;
}

static void announce_order(struct writer *writer, struct process *process)
{
  if (process->order.count == process->order.announced)
    return;
  process->order.announced = process->order.count;
  begin_frame(writer, ORDER);
  put_string(writer, process->id);
  put_u64(writer, process->order.count);
  end_frame(writer);
}

static void announce_input(struct writer *writer, struct process *process)
{
  struct input *input = &process->input;
  bool closed = input->source.fd < 0;
  if (process->stdin_kind == STDIN_NULL || process->announced.stdin_closed)
    return;
  if (closed || input->owed >= CREDIT_BYTES) {
    begin_frame(writer, closed ? STDIN_CLOSED : CREDIT);
    put_string(writer, process->id);
    if (!closed)
      put_u32(writer, input->owed);
    end_frame(writer);
    input->credit += input->owed;
    input->owed = 0;
    process->announced.stdin_closed = closed;
  }
}

static void announce_exit(struct writer *writer, struct process *process)
{
  const struct end *end = &process->end;
  begin_frame(writer, EXIT);
  put_string(writer, process->id);
  put_u8(writer, end->by_signal);
  put_u32(writer, end->value);
  put_u64(writer, end->user_us);
  put_u64(writer, end->system_us);
  put_u64(writer, end->max_rss);
  put_u8(writer, end->oom_killed);
  put_u8(writer, end->background);
  put_u64(writer, (uint64_t)end->at);
  end_frame(writer);
  process->announced.exit = true;
}

static enum progress announce_process(struct writer *writer, struct process *process, int64_t now)
{
  if (!may_say(writer, 4 * FRAME_ROOM))
    return NO_ROOM;
  if (process->phase == STARTING)
    return STILL_STARTING;
  if (process->phase == UNSTARTED) {
    if (process->client == client)
      say_failed(writer, process);
    return ANNOUNCED;
  }
  if (!process->announced.introduced)
    introduce(writer, process);
  enum progress progress = ANNOUNCED;
  for (int i = 0; i < process->stream_count && progress != NO_ROOM; i++) {
    enum progress of_stream = announce_stream(writer, &process->streams[i], process->phase == ENDED, now);
    if (of_stream != ANNOUNCED)
      progress = of_stream;
  }
  if (progress == NO_ROOM || !may_say(writer, 3 * FRAME_ROOM))
    return NO_ROOM;
  announce_order(writer, process);
  announce_input(writer, process);
  if (process->phase == ENDED && !process->announced.exit && progress == ANNOUNCED)
    announce_exit(writer, process);
  return progress;
}

static bool any_awaited(void)
{
  for (const struct process *process = first_process(); process != NULL; process = process->next)
    if (process->announced.awaited)
      return true;
  return false;
}

static void announce_synced(struct writer *writer)
{
  if (!syncing || !may_say(writer, FRAME_ROOM) || any_awaited())
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
    if (progress == HELD_BACK || progress == NO_ROOM)
      process_changed(process);
    if (progress == HELD_BACK)
      wait = BULK_MS;
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
    if (process->phase == UNSTARTED || process->phase == ENDED)
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
