#include "client/announce.h"

#include "wire/state-frame.h"

/* Output of this many bytes within this time after the last announcement is bulk, and its announcement is delayed. */
#define BULK_BYTES (32u * 1024)
#define DELAY_MS 1
/*
 * Credit is returned in pieces of this many bytes, so that a typed key wakes the client once, by its echo. A smaller
 * amount is owed while the client has some left, or bytes are still held.
 */
#define CREDIT_BYTES (64u * 1024)

static const struct announced_process NOT_ANNOUNCED = {.awaited = true};

void announce_anew(struct announcer *announcer, uint64_t client)
{
  announcer->syncing = true;
  announcer->client = client;
  for (struct process *process = announcer->processes->all; process != NULL; process = process->next) {
    process->announced = NOT_ANNOUNCED;
    input_greet(&process->input);
    for (int i = 0; i < process->stream_count; i++)
      process->streams[i].announced = 0;
    process_changed(process);
  }
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

/* A change of stdin alone is announced if the client waits for it. */
static bool owes_little(const struct process *process)
{
  const struct input *input = &process->input;
  uint64_t limit = input->taken + input_room(input);
  return input->source.fd >= 0 && !input->ends && !input->asked && process->open_streams == process->stream_count &&
         process->announced.introduced && !any_byte_new(process) && process->phase == RUNNING &&
         limit < process->announced.limit + CREDIT_BYTES &&
         (process->announced.limit > input->taken || input->length > 0);
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

enum progress { ANNOUNCED, DELAYED, NO_ROOM, STILL_STARTING };

static enum progress announce_process(const struct announcer *announcer, struct writer *writer,
                                      struct process *process, int64_t now)
{
  if (process->phase == STARTING)
    return STILL_STARTING;
  /* It is announced once there is a process. */
  if (process->phase == RESERVED)
    return ANNOUNCED;
  if (!make_room(writer, ANSWER_ROOM + state_bytes(process)))
    return NO_ROOM;
  if (process->phase == UNSTARTED && process->client == announcer->client)
    put_failed(writer, process);
  if (process->phase == UNSTARTED || owes_little(process))
    return ANNOUNCED;
  if (is_delayed(process, now))
    return DELAYED;
  put_state(writer, process, !process->announced.introduced && process->client != announcer->client);
  process->announced.introduced = true;
  process->announced.at = now;
  process->announced.ending_at = 0;
  return ANNOUNCED;
}

static bool any_awaited(const struct processes *processes)
{
  for (const struct process *process = processes->all; process != NULL; process = process->next)
    if (process->announced.awaited)
      return true;
  return false;
}

bool anything_to_announce(const struct announcer *announcer)
{
  const struct processes *processes = announcer->processes;
  return processes->changed != NULL || (announcer->syncing && !any_awaited(processes));
}

static void announce_synced(struct announcer *announcer, struct writer *writer)
{
  if (!announcer->syncing || !has_room(writer, ANSWER_ROOM + FRAME_ROOM) || any_awaited(announcer->processes))
    return;
  begin_frame(writer, SYNCED);
  end_frame(writer);
  announcer->syncing = false;
}

int announce(struct announcer *announcer, struct writer *writer, int64_t now)
{
  int wait = -1;
  struct process *next;
  for (struct process *process = take_changed(announcer->processes); process != NULL; process = next) {
    next = process->next_changed;
    enum progress progress = writer == NULL ? ANNOUNCED : announce_process(announcer, writer, process, now);
    if (progress == DELAYED || progress == NO_ROOM)
      process_changed(process);
    if (progress == DELAYED)
      wait = DELAY_MS;
    /* The end of its start changes it. */
    if (progress == NO_ROOM || progress == STILL_STARTING)
      continue;
    process->announced.awaited = false;
    if (progress == ANNOUNCED)
      process_settled(announcer->reaper, process);
  }
  if (writer != NULL)
    announce_synced(announcer, writer);
  return wait;
}
