#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "figures.h"
#include "oom.h"

#define BUCKETS 1024u

static struct process *all;
static struct process *of_id[BUCKETS];
static struct process *of_pid[BUCKETS];
static struct process *changed;
static void **removed;
static uint32_t count;
static void (*on_drained)(struct process *process);

static struct process **id_bucket(const char *id)
{
  uint32_t hash = 2166136261u;
  for (; *id != '\0'; id++)
    hash = (hash ^ (uint8_t)*id) * 16777619u;
  return &of_id[hash % BUCKETS];
}

static struct process **pid_bucket(pid_t pid)
{
  return &of_pid[(uint32_t)pid % BUCKETS];
}

uint32_t process_count(void)
{
  return count;
}

struct process *first_process(void)
{
  return all;
}

uint32_t live_count(void)
{
  uint32_t live = 0;
  for (const struct process *process = all; process != NULL; process = process->next)
    live += process_lives(process) || process->open_streams > 0;
  return live;
}

struct process *process_by_id(const char *id)
{
  struct process *process = *id_bucket(id);
  while (process != NULL && strcmp(process->id, id) != 0)
    process = process->next_of_id;
  return process;
}

struct process *process_by_pid(pid_t pid)
{
  struct process *process = *pid_bucket(pid);
  while (process != NULL && process->pid != pid)
    process = process->next_of_pid;
  return process;
}

struct process *process_add(const char *id)
{
  if (process_by_id(id) != NULL) {
    errno = EEXIST;
    return NULL;
  }
  if (count >= MAX_PROCESSES) {
    errno = EAGAIN;
    return NULL;
  }
  struct process *process = calloc(1, sizeof *process);
  if (process == NULL)
    return NULL;
  memcpy(process->id, id, strlen(id) + 1);
  process->order.file = -1;
  process->order.speaking = -1;
  process->input.source.fd = -1;
  process->next_of_id = *id_bucket(id);
  *id_bucket(id) = process;
  process->next = all;
  if (all != NULL)
    all->previous = process;
  all = process;
  count++;
  return process;
}

bool process_keep_record(struct process *process, const uint8_t *bytes, uint32_t length)
{
  process->record.length = length;
  process->record.bytes = malloc(length + 1);
  if (process->record.bytes != NULL)
    memcpy(process->record.bytes, bytes, length);
  return process->record.bytes != NULL;
}

bool process_lives(const struct process *process)
{
  return process->pid > 0 && (process->phase == STARTING || process->phase == RUNNING);
}

void process_cloned(struct process *process, pid_t pid)
{
  process->pid = pid;
  process->started_wall = wall_ms();
  process->started_monotonic = monotonic_ms();
  process->oom_before = oom_kills();
  process->next_of_pid = *pid_bucket(pid);
  *pid_bucket(pid) = process;
}

void process_started(struct process *process)
{
  process->phase = RUNNING;
  figures.started++;
  process_changed(process);
}

void process_unstarted(struct process *process, struct failure failure)
{
  if (process_lives(process))
    process_stops(process);
  process->phase = UNSTARTED;
  process->failure = failure;
  for (int i = 0; i < process->stream_count; i++)
    stream_free(&process->streams[i]);
  process->open_streams = 0;
  input_close(&process->input);
  process_changed(process);
}

void process_stops(struct process *process)
{
  struct process **at = pid_bucket(process->pid);
  while (*at != process)
    at = &(*at)->next_of_pid;
  *at = process->next_of_pid;
}

static void leave_changed(struct process *process)
{
  struct process **at = &changed;
  while (*at != NULL && *at != process)
    at = &(*at)->next_changed;
  if (*at != NULL)
    *at = process->next_changed;
}

void process_remove(struct process *process)
{
  struct process **at = id_bucket(process->id);
  while (*at != process)
    at = &(*at)->next_of_id;
  *at = process->next_of_id;
  if (process_lives(process))
    process_stops(process);
  if (process->changed)
    leave_changed(process);
  if (process->previous == NULL)
    all = process->next;
  else
    process->previous->next = process->next;
  if (process->next != NULL)
    process->next->previous = process->previous;
  count--;
  for (int i = 0; i < process->stream_count; i++)
    stream_free(&process->streams[i]);
  order_close(&process->order);
  input_close(&process->input);
  free(process->record.bytes);
  /* An event of this turn of the loop may still point at it. */
  free_later(process);
}

/* The first word of the memory links the list. */
void free_later(void *memory)
{
  void **link = memory;
  *link = removed;
  removed = link;
}

void free_removed(void)
{
  while (removed != NULL) {
    void **link = removed;
    removed = *link;
    free(link);
  }
}

void process_changed(struct process *process)
{
  if (process->changed)
    return;
  process->changed = true;
  process->next_changed = changed;
  changed = process;
}

bool any_changed(void)
{
  return changed != NULL;
}

struct process *take_changed(void)
{
  struct process *list = NULL;
  while (changed != NULL) {
    struct process *process = changed;
    changed = process->next_changed;
    process->changed = false;
    process->next_changed = list;
    list = process;
  }
  return list;
}

static void stream_grown(struct stream *stream)
{
  struct process *process = stream->process;
  const uint64_t ends[2] = {process->streams[0].end, process->streams[1].end};
  if (stream->number != PTY_STREAM && !process->discarded)
    order_note(&process->order, process->id, (int)stream->number, ends);
  process_changed(process);
}

static void stream_ended(struct stream *stream)
{
  struct process *process = stream->process;
  process->open_streams--;
  if (process->open_streams == 0)
    order_close(&process->order);
  if (process->open_streams == 0 && process->phase == DRAINING)
    on_drained(process);
  process_changed(process);
}

const struct stream_events process_stream_events = {.grown = stream_grown, .ended = stream_ended};

void process_on_drained(void (*drained)(struct process *process))
{
  on_drained = drained;
}
