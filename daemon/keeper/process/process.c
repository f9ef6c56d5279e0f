#include "process/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static struct process **id_bucket(struct processes *processes, const char *id)
{
  uint32_t hash = 2166136261u;
  for (const char *at = id; *at != '\0'; at++)
    hash = (hash ^ (uint8_t)*at) * 16777619u;
  return &processes->of_id[hash % BUCKETS];
}

static struct process **pid_bucket(struct processes *processes, pid_t pid)
{
  return &processes->of_pid[(uint32_t)pid % BUCKETS];
}

uint32_t live_count(const struct processes *processes)
{
  uint32_t live = 0;
  for (const struct process *process = processes->all; process != NULL; process = process->next)
    live += process_lives(process) || process->open_streams > 0;
  return live;
}

struct process *process_by_id(struct processes *processes, const char *id)
{
  struct process *process = *id_bucket(processes, id);
  while (process != NULL && strcmp(process->id, id) != 0)
    process = process->next_of_id;
  return process;
}

struct process *process_by_pid(struct processes *processes, pid_t pid)
{
  struct process *process = *pid_bucket(processes, pid);
  while (process != NULL && process->pid != pid)
    process = process->next_of_pid;
  return process;
}

struct process *process_add(struct processes *processes, const char *id)
{
  if (process_by_id(processes, id) != NULL) {
    errno = EEXIST;
    return NULL;
  }
  if (processes->count >= MAX_PROCESSES) {
    errno = EAGAIN;
    return NULL;
  }
  struct process *process = calloc(1, sizeof *process);
  if (process == NULL)
    return NULL;
  memcpy(process->id, id, strlen(id) + 1);
  process->table = processes;
  process->files = (struct output_files){.directory = processes->directory, .id = process->id};
  process->order = order_of(&process->files);
  process->input.source.fd = -1;
  struct process **bucket = id_bucket(processes, id);
  process->next_of_id = *bucket;
  *bucket = process;
  process->next = processes->all;
  if (processes->all != NULL)
    processes->all->previous = process;
  processes->all = process;
  processes->count++;
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
  oom_mark_start(process->table->oom, &process->oom);
  struct process **bucket = pid_bucket(process->table, pid);
  process->next_of_pid = *bucket;
  *bucket = process;
}

void process_started(struct process *process)
{
  process->phase = RUNNING;
  process->table->started++;
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
  struct process **at = pid_bucket(process->table, process->pid);
  while (*at != process)
    at = &(*at)->next_of_pid;
  *at = process->next_of_pid;
}

static void leave_changed(struct process *process)
{
  struct process **at = &process->table->changed;
  while (*at != NULL && *at != process)
    at = &(*at)->next_changed;
  if (*at != NULL)
    *at = process->next_changed;
}

void process_remove(struct process *process)
{
  struct process **at = id_bucket(process->table, process->id);
  while (*at != process)
    at = &(*at)->next_of_id;
  *at = process->next_of_id;
  if (process_lives(process))
    process_stops(process);
  if (process->changed)
    leave_changed(process);
  if (process->previous == NULL)
    process->table->all = process->next;
  else
    process->previous->next = process->next;
  if (process->next != NULL)
    process->next->previous = process->previous;
  process->table->count--;
  for (int i = 0; i < process->stream_count; i++)
    stream_free(&process->streams[i]);
  order_close(&process->order);
  input_close(&process->input);
  command_group_remove(&process->table->oom->groups, process->oom.group);
  free(process->record.bytes);
  /* An event of this turn of the loop may still point at it. */
  loop_free_later(process->table->loop, process);
}

void process_changed(struct process *process)
{
  if (process->changed)
    return;
  process->changed = true;
  process->next_changed = process->table->changed;
  process->table->changed = process;
}

void processes_relieve(void *context)
{
  struct processes *processes = context;
  for (struct process *process = processes->all; process != NULL; process = process->next) {
    struct input *input = &process->input;
    if (!input->starved)
      continue;
    input->starved = false;
    input->asked = true;
    processes->inputs.starved--;
    process_changed(process);
  }
}

struct process *take_changed(struct processes *processes)
{
  struct process *list = NULL;
  while (processes->changed != NULL) {
    struct process *process = processes->changed;
    processes->changed = process->next_changed;
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
    order_note(&process->order, (int)stream->number, ends);
  process_changed(process);
}

static void stream_ended(struct stream *stream)
{
  struct process *process = stream->process;
  process->open_streams--;
  if (process->open_streams == 0)
    order_close(&process->order);
  if (process->open_streams == 0 && process->phase == DRAINING)
    process->table->drained(process->table->context, process);
  process_changed(process);
}

const struct stream_events process_stream_events = {.grown = stream_grown, .ended = stream_ended};
