#include "end/memory-watch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/proc-stat.h"

/* More than processes fill in a ms. */
#define BYTES_PER_MS (4 * 1024 * 1024)
/* The largest processes are noted while less than 1/N of the limit is left. */
#define NEAR 2
#define MIN_WAIT_MS 5
#define MAX_WAIT_MS 1000
/* A look may take 1/N of the processor time, but waits no longer than that for it. */
#define SHARE_OF_TIME 10
#define MAX_REST_MS 50
/* The counter rises some microseconds before the signal is sent. */
#define SEARCH_MS 100
/* The system kills the largest process; one that is smaller than this share of it has ended by itself. */
#define SIZE_SHARE 2
#define EXITING 0x4u
#define SIGKILL_PENDING 0x100u

static unsigned long long pending(const char *status, const char *key)
{
  const char *at = strstr(status, key);
  return at == NULL ? 0 : strtoull(at + strlen(key), NULL, 16);
}

/* It is gone, or about to end. */
static bool ends(const struct suspect *suspect)
{
  struct proc_stat now;
  char status[4096];
  if (!read_proc_stat(suspect->pid, &now) || now.start != suspect->start || is_zombie(&now) ||
      (now.flags & EXITING) != 0)
    return true;
  return !read_proc_file(suspect->pid, "status", status, sizeof status) ||
         ((pending(status, "\nSigPnd:") | pending(status, "\nShdPnd:")) & SIGKILL_PENDING) != 0;
}

static void blame(struct memory_watch *watch, const struct suspect *suspect)
{
  watch->processes->oom->attributed++;
  struct process *owner = process_by_id(watch->processes, suspect->owner);
  if (owner != NULL)
    oom_mark_kill(&owner->oom, suspect->program, monotonic_ms());
}

void memory_watch_settle(struct memory_watch *watch)
{
  int64_t kills = oom_kills(watch->processes->oom);
  /* From the largest to the smallest, which is the order in which the system chooses. */
  int64_t largest = watch->count > 0 ? watch->suspects[0].pages : 0;
  for (int i = 0; i < watch->count && watch->settled < kills; i++) {
    if (watch->suspects[i].pages < largest / SIZE_SHARE)
      break;
    if (!ends(&watch->suspects[i]))
      continue;
    blame(watch, &watch->suspects[i]);
    watch->settled++;
    watch->count--;
    memmove(&watch->suspects[i], &watch->suspects[i + 1], (size_t)(watch->count - i) * sizeof *watch->suspects);
    i--;
  }
  int64_t now = monotonic_ms();
  if (watch->settled < kills && watch->count > 0 && watch->give_up_at == 0)
    watch->give_up_at = now + SEARCH_MS;
  if (watch->settled >= kills || watch->count == 0 || now >= watch->give_up_at) {
    watch->settled = kills;
    watch->give_up_at = 0;
  }
}

static void add(struct memory_watch *fresh, const struct suspect *suspect)
{
  int at = fresh->count < SUSPECTS ? fresh->count++ : SUSPECTS - 1;
  if (at == SUSPECTS - 1 && fresh->suspects[at].pages >= suspect->pages)
    return;
  for (; at > 0 && fresh->suspects[at - 1].pages < suspect->pages; at--)
    fresh->suspects[at] = fresh->suspects[at - 1];
  fresh->suspects[at] = *suspect;
}

/* Notes the largest processes. One that was killed meanwhile stays noted: the counter rises before it ends. */
static void take_census(struct memory_watch *watch)
{
  static const struct suspect none;
  struct memory_watch fresh = {.count = 0};
  struct survey survey = survey_descendants(watch->finder);
  for (size_t i = 0; i < survey.count; i++) {
    const struct found *found = &survey.items[i];
    struct proc_stat now;
    if (!found->member || !read_proc_stat(found->pid, &now) || now.pages <= 0)
      continue;
    name_program(found->pid, &now);
    struct suspect suspect = none;
    suspect.pid = found->pid;
    suspect.start = now.start;
    suspect.pages = now.pages;
    memcpy(suspect.program, now.program, sizeof suspect.program);
    const struct process *owner = survey_owner(watch->finder, &survey, found);
    if (owner != NULL)
      memcpy(suspect.owner, owner->id, sizeof suspect.owner);
    add(&fresh, &suspect);
  }
  free(survey.items);
  if (oom_kills(watch->processes->oom) > watch->settled)
    return;
  memcpy(watch->suspects, fresh.suspects, sizeof watch->suspects);
  watch->count = fresh.count;
}

static int64_t processor_us(void)
{
  struct timespec time;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) < 0 ? 0 : time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static int64_t between(int64_t least, int64_t value, int64_t most)
{
  return value < least ? least : value > most ? most : value;
}

static int64_t look(struct memory_watch *watch)
{
  int64_t begun = processor_us();
  int64_t limit = memory_limit(&watch->room);
  int64_t left = memory_left(&watch->room, limit);
  watch->processes->oom->limit = limit;
  if (left < 0)
    return MAX_WAIT_MS;
  memory_watch_settle(watch);
  watch->near = left < limit / NEAR;
  if (watch->near && watch->give_up_at == 0)
    take_census(watch);
  else if (watch->give_up_at == 0)
    watch->count = 0;
  int64_t rest = between(MIN_WAIT_MS, (processor_us() - begun) * SHARE_OF_TIME / 1000, MAX_REST_MS);
  return between(rest, left / BYTES_PER_MS, MAX_WAIT_MS);
}

void memory_watch_open(struct memory_watch *watch)
{
  watch->settled = oom_kills(watch->processes->oom);
  watch->processes->oom->limit = memory_limit(&watch->room);
}

int memory_watch_due(struct memory_watch *watch, int64_t now)
{
  uint64_t started = watch->processes->started;
  if (watch->settled < 0 || (watch->idle && started == watch->started))
    return -1;
  watch->idle = false;
  if (now < watch->next_at) {
    if (watch->near)
      memory_watch_settle(watch);
    int64_t wait = watch->next_at - now;
    return (int)(watch->give_up_at > 0 && wait > MIN_WAIT_MS ? MIN_WAIT_MS : wait);
  }
  watch->idle = live_count(watch->processes) == 0;
  watch->started = started;
  int64_t wait = look(watch);
  watch->next_at = monotonic_ms() + wait;
  return watch->idle ? -1 : (int)wait;
}
