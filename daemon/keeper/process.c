#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "clock.h"
#include "ended-file.h"
#include "oom.h"

#define BUCKETS 1024u
/* How long output may stay open after the reaping before that counts as background. */
#define BACKGROUND_MS 250

static struct process *all;
static struct process *of_id[BUCKETS];
static struct process *of_pid[BUCKETS];
static struct process *changed;
/* In the order in which they were reaped, so that the first is due first. */
static struct process *draining;
static struct process *last_draining;
static struct process *dead;
static uint32_t count;

void processes_open(const char *directory)
{
  ended_files_open(directory);
}

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
    live += process->running || process->open_streams > 0;
  return live;
}

struct process *process_by_id(const char *id)
{
  struct process *process = *id_bucket(id);
  while (process != NULL && strcmp(process->id, id) != 0)
    process = process->next_of_id;
  return process;
}

static struct process *process_by_pid(pid_t pid)
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

void process_runs(struct process *process, pid_t pid)
{
  process->pid = pid;
  process->running = true;
  process->oom_before = oom_kills();
  process->next_of_pid = *pid_bucket(pid);
  *pid_bucket(pid) = process;
}

static void leave_pid_bucket(struct process *process)
{
  struct process **at = pid_bucket(process->pid);
  while (*at != process)
    at = &(*at)->next_of_pid;
  *at = process->next_of_pid;
}

static void leave_draining(struct process *process)
{
  struct process *before = NULL;
  for (struct process *at = draining; at != NULL; before = at, at = at->next_draining) {
    if (at != process)
      continue;
    if (before == NULL)
      draining = at->next_draining;
    else
      before->next_draining = at->next_draining;
    if (last_draining == at)
      last_draining = before;
    return;
  }
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
  if (process->running)
    leave_pid_bucket(process);
  if (process->changed)
    leave_changed(process);
  leave_draining(process);
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
  /* An event of this turn may still point at it. */
  process->next = dead;
  dead = process;
}

void bury(void)
{
  while (dead != NULL) {
    struct process *process = dead;
    dead = process->next;
    free(process);
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

void process_settled(struct process *process)
{
  if (process->forgotten && process->ended && process->open_streams == 0)
    process_remove(process);
}

static void process_ended(struct process *process, bool background)
{
  if (process->ended)
    return;
  leave_draining(process);
  process->ended = true;
  process->end.background = background;
  if (!process->forgotten)
    ended_file_write(process);
  process_changed(process);
}

void process_stream_ended(struct process *process)
{
  process->open_streams--;
  if (process->open_streams == 0)
    order_close(&process->order);
  if (process->open_streams == 0 && !process->running)
    process_ended(process, false);
  process_changed(process);
}

void process_forget(struct process *process, bool discard)
{
  process->forgotten = true;
  ended_file_remove(process->id);
  if (discard && !process->discarded) {
    process->discarded = true;
    for (int i = 0; i < process->stream_count; i++)
      stream_discard(&process->streams[i]);
    order_discard(&process->order, process->id);
  }
  /* At once where nothing is left to do: its id is free for the next START. */
  process_settled(process);
}

static uint64_t microseconds(struct timeval time)
{
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

static void process_reaped(struct process *process, int status, const struct rusage *usage)
{
  leave_pid_bucket(process);
  process->running = false;
  input_close(&process->input);
  bool by_signal = WIFSIGNALED(status);
  uint32_t value = (uint32_t)(by_signal ? WTERMSIG(status) : WEXITSTATUS(status));
  bool may_be_oom = by_signal ? value == SIGKILL : value == 128 + SIGKILL;
  process->end = (struct end){
      .by_signal = by_signal,
      .value = value,
      .user_us = microseconds(usage->ru_utime),
      .system_us = microseconds(usage->ru_stime),
      .max_rss = (uint64_t)usage->ru_maxrss * 1024,
      .oom_killed = oom_killed(process->oom_before, may_be_oom),
      .at = wall_ms(),
  };
  process_changed(process);
  if (process->open_streams == 0) {
    process_ended(process, false);
    return;
  }
  process->drained_by = monotonic_ms() + BACKGROUND_MS;
  process->next_draining = NULL;
  if (last_draining == NULL)
    draining = process;
  else
    last_draining->next_draining = process;
  last_draining = process;
}

void reap(void)
{
  int status;
  struct rusage usage;
  pid_t pid;
  while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0 || (pid < 0 && errno == EINTR)) {
    struct process *process = pid > 0 ? process_by_pid(pid) : NULL;
    if (process != NULL)
      process_reaped(process, status, &usage);
  }
}

int end_overdue(int64_t now)
{
  while (draining != NULL && draining->drained_by <= now)
    process_ended(draining, true);
  return draining == NULL ? -1 : (int)(draining->drained_by - now);
}
