#include "find-and-signal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "process.h"

/* Scans after which a program that forks faster than it can be found is given up. */
#define MAX_ROUNDS 64
/* ms until a process that is in the middle of execve is scanned again. */
#define SETTLING_MS 2

struct name {
  pid_t pid;
  uint64_t start;
};

struct search {
  bool under_way;
  bool all;
  struct target *targets;
  size_t target_count;
  int signal;
  int round;
  int64_t next_at;
  struct name *counted;
  size_t counted_length;
  size_t counted_capacity;
  uint64_t client;
  uint32_t request;
  search_done *done;
};

/* The last place is for the search for all descendants. */
static struct search searches[MAX_SEARCHES + 1];

void free_targets(struct target *targets, size_t count)
{
  for (size_t i = 0; i < count; i++)
    free(targets[i].account.groups);
  free(targets);
}

/* The groups of descendants contain only descendants: a group cannot reach beyond its session. */
static bool in_owned_group(const struct search *search, const struct found *found)
{
  return search->all || owns_group(search->targets, search->target_count, found->group);
}

/* Whether the process was not counted yet. Where memory is short it is counted again in the next round. */
static bool count_once(struct search *search, const struct found *found)
{
  for (size_t i = 0; i < search->counted_length; i++)
    if (search->counted[i].pid == found->pid && search->counted[i].start == found->start)
      return false;
  if (search->counted_length == search->counted_capacity) {
    size_t capacity = search->counted_capacity == 0 ? 64 : search->counted_capacity * 2;
    struct name *counted = realloc(search->counted, capacity * sizeof *counted);
    if (counted == NULL)
      return true;
    search->counted = counted;
    search->counted_capacity = capacity;
  }
  search->counted[search->counted_length++] = (struct name){found->pid, found->start};
  return true;
}

/* By pidfd, whose start time is compared after it was opened, so that a reused pid is not signalled. */
static void send_one(const struct found *found, int number)
{
#ifdef SYS_pidfd_open
  int pidfd = (int)syscall(SYS_pidfd_open, found->pid, 0);
  if (pidfd >= 0) {
    struct found now;
    if (process_stat(found->pid, &now) && now.start == found->start &&
        syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0) < 0 && (errno == ENOSYS || errno == EPERM))
      kill(found->pid, number);
    close(pidfd);
    return;
  }
  if (errno == ESRCH)
    return;
#endif
  kill(found->pid, number);
}

static bool group_came_before(const struct findings *findings, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (findings->processes[i].member && findings->processes[i].group == findings->processes[index].group)
      return true;
  return false;
}

/* A group in one call, which no fork escapes; one by one the other processes, and those that have left their group. */
static void signal_members(const struct search *search, const struct findings *findings)
{
  for (size_t i = 0; i < findings->count; i++) {
    const struct found *found = &findings->processes[i];
    if (found->member && in_owned_group(search, found) && !group_came_before(findings, i))
      kill(-found->group, search->signal);
  }
  for (size_t i = 0; i < findings->count; i++) {
    const struct found *found = &findings->processes[i];
    struct found now;
    if (!found->member)
      continue;
    if (!in_owned_group(search, found) || (process_stat(found->pid, &now) && now.group != found->group))
      send_one(found, search->signal);
  }
}

/* For a process that the keeper holds, its own pid and state replace those of the request. */
static void refresh(struct search *search)
{
  for (size_t i = 0; i < search->target_count; i++) {
    const struct process *process = process_by_id(search->targets[i].id);
    if (process == NULL)
      continue;
    search->targets[i].pid = process->pid;
    search->targets[i].running = process->running;
  }
}

static void end_search(struct search *search)
{
  search->done(search->client, search->request, (uint32_t)search->counted_length);
  free_targets(search->targets, search->target_count);
  free(search->counted);
  *search = (struct search){0};
}

/* Its group was signalled as a whole in the first round, so it was started since, perhaps because of the signal. */
static bool came_later(const struct search *search, const struct found *found)
{
  return search->round > 0 && search->signal != SIGKILL && in_owned_group(search, found);
}

static void scan(struct search *search)
{
  refresh(search);
  struct findings findings = search->all ? find_descendants() : find_processes(search->targets, search->target_count);
  size_t fresh = 0;
  for (size_t i = 0; i < findings.count; i++) {
    bool new = !came_later(search, &findings.processes[i]) && count_once(search, &findings.processes[i]);
    fresh += new;
    /* Signals other than SIGKILL are sent once to each process. */
    findings.processes[i].member = new || search->signal == SIGKILL;
  }
  if (search->signal != 0)
    signal_members(search, &findings);
  bool complete = findings.settled && (findings.count == 0 || search->signal != SIGKILL);
  free(findings.processes);
  search->round++;
  if (complete || search->signal == 0 || search->round >= MAX_ROUNDS)
    end_search(search);
  else
    search->next_at = monotonic_ms() + (findings.settled && fresh > 0 ? 0 : SETTLING_MS);
}

static void begin(struct search *place, struct search given)
{
  *place = given;
  place->under_way = true;
  scan(place);
}

static struct search *free_place(void)
{
  for (int i = 0; i < MAX_SEARCHES; i++)
    if (!searches[i].under_way)
      return &searches[i];
  return NULL;
}

bool room_to_search(void)
{
  return free_place() != NULL;
}

void find_and_signal(struct target *targets, size_t count, int signal, uint64_t client, uint32_t request,
                     search_done *done)
{
  begin(free_place(), (struct search){.targets = targets,
                                      .target_count = count,
                                      .signal = signal,
                                      .client = client,
                                      .request = request,
                                      .done = done});
}

void find_and_signal_all(int signal, search_done *done)
{
  struct search *place = &searches[MAX_SEARCHES];
  if (place->under_way)
    end_search(place);
  begin(place, (struct search){.all = true, .signal = signal, .done = done});
}

int continue_searches(int64_t now)
{
  int wait = -1;
  for (int i = 0; i <= MAX_SEARCHES; i++) {
    if (searches[i].under_way && searches[i].next_at <= now)
      scan(&searches[i]);
    if (!searches[i].under_way)
      continue;
    int64_t left = searches[i].next_at > now ? searches[i].next_at - now : 0;
    if (wait < 0 || left < wait)
      wait = (int)left;
  }
  return wait;
}
