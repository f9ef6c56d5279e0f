#include "end/reap.h"

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>

#include "base/clock.h"

/* ms after the reaping from which open output counts as background. */
#define BACKGROUND_MS 250

static void stop_waiting(struct reaper *reaper, struct process *process)
{
  struct process *before = NULL;
  for (struct process *at = reaper->first; at != NULL; before = at, at = at->next_draining) {
    if (at != process)
      continue;
    if (before == NULL)
      reaper->first = at->next_draining;
    else
      before->next_draining = at->next_draining;
    if (reaper->last == at)
      reaper->last = before;
    return;
  }
}

static void wait_for_streams(struct reaper *reaper, struct process *process)
{
  process->drained_by = monotonic_ms() + BACKGROUND_MS;
  process->next_draining = NULL;
  if (reaper->last == NULL)
    reaper->first = process;
  else
    reaper->last->next_draining = process;
  reaper->last = process;
}

static void end(struct reaper *reaper, struct process *process, bool background)
{
  if (process->phase == ENDED)
    return;
  stop_waiting(reaper, process);
  process->phase = ENDED;
  reaper->ended++;
  process->end.background = background;
  if (!process->forgotten)
    ended_file_wanted(reaper->files, process);
  process_changed(process);
}

static void drained(void *context, struct process *process)
{
  end(context, process, false);
}

void reap_open(struct reaper *reaper)
{
  reaper->processes->drained = drained;
  reaper->processes->context = reaper;
}

void process_settled(struct reaper *reaper, struct process *process)
{
  bool over = process->forgotten && process->phase == ENDED && process->open_streams == 0;
  if (!over && process->phase != UNSTARTED)
    return;
  stop_waiting(reaper, process);
  process_remove(process);
}

void process_forget(struct reaper *reaper, struct process *process, bool discard)
{
  process->forgotten = true;
  ended_file_unwanted(reaper->files, process);
  if (discard && !process->discarded) {
    process->discarded = true;
    for (int i = 0; i < process->stream_count; i++)
      stream_discard(&process->streams[i]);
    order_discard(&process->order);
  }
  /* Removed at once if nothing is left to do, so that its id is free for the next START. */
  process_settled(reaper, process);
}

static uint64_t microseconds(struct timeval time)
{
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

/* Wall clock time, but not earlier than the start plus the time that the process ran: the clock may be set back. */
static int64_t end_time(const struct process *process)
{
  /* The two clocks reach the next millisecond at different moments, so that one may be ahead by one. */
  int64_t ran = monotonic_ms() - process->started_monotonic - 1;
  int64_t earliest = process->started_wall + (ran > 0 ? ran : 0);
  int64_t now = wall_ms();
  return now > earliest ? now : earliest;
}

static void reaped(struct reaper *reaper, struct process *process, int status, const struct rusage *usage)
{
  process_stops(process);
  forker_close(reaper->forkers, process);
  process->phase = DRAINING;
  input_close(&process->input);
  bool by_signal = WIFSIGNALED(status);
  uint32_t value = (uint32_t)(by_signal ? WTERMSIG(status) : WEXITSTATUS(status));
  bool may_be_oom = !process->killed && (by_signal ? value == SIGKILL : value == 128 + SIGKILL);
  uint64_t max_rss = (uint64_t)usage->ru_maxrss * 1024;
  process->end = (struct end){
      .by_signal = by_signal,
      .value = value,
      .user_us = microseconds(usage->ru_utime),
      .system_us = microseconds(usage->ru_stime),
      .max_rss = max_rss,
      .oom_killed = oom_killed(process->table->oom, &process->oom, may_be_oom, max_rss),
      .at = end_time(process),
  };
  process_changed(process);
  if (process->open_streams == 0)
    end(reaper, process, false);
  else
    wait_for_streams(reaper, process);
}

void reap(struct reaper *reaper)
{
  int status;
  struct rusage usage;
  pid_t pid;
  /* Before what was killed is reaped. */
  if (reaper->memory->near)
    memory_watch_settle(reaper->memory);
  while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0 || (pid < 0 && errno == EINTR)) {
    if (pid < 0)
      continue;
    launch_reaped(reaper->launches, pid);
    score_reaped(&reaper->launches->scores, pid);
    forker_helper_reaped(reaper->forkers, pid);
    search_helper_reaped(reaper->searches, pid);
    struct process *process = process_by_pid(reaper->processes, pid);
    if (process != NULL)
      reaped(reaper, process, status, &usage);
  }
}

int end_overdue(struct reaper *reaper, int64_t now)
{
  while (reaper->first != NULL && reaper->first->drained_by <= now) {
    struct process *process = reaper->first;
    /* Where the keeper was suspended, output that ended in time may still be unread. */
    for (int i = 0; i < process->stream_count; i++) {
      struct stream *stream = &process->streams[i];
      stream_catch_up(stream);
      if (stream->number == PTY_STREAM && stream->source.fd >= 0)
        stream_close(stream);
    }
    end(reaper, process, true);
  }
  return reaper->first == NULL ? -1 : (int)(reaper->first->drained_by - now);
}
