#include "hunt.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "process.h"

/* A program that forks faster than it can be found is left after this many looks. */
#define MAX_ROUNDS 64
/* Until a process that is in the middle of execve is looked at again. */
#define SETTLING_MS 2

struct name {
  pid_t pid;
  uint64_t start;
};

struct hunt {
  bool under_way;
  bool all;
  struct target *targets;
  size_t target_count;
  int signal;
  int round;
  int64_t next_at;
  struct name *seen;
  size_t seen_count;
  size_t seen_capacity;
  uint64_t client;
  uint32_t request;
  hunt_done *done;
};

/* The last place is that of the hunt for all. */
static struct hunt hunts[MAX_HUNTS + 1];

void free_targets(struct target *targets, size_t count)
{
  for (size_t i = 0; i < count; i++)
    free(targets[i].account.groups);
  free(targets);
}

/* The groups of descendants hold nobody else: a group cannot reach beyond its session. */
static bool in_owned_group(const struct hunt *hunt, const struct found *found)
{
  return hunt->all || owns_group(hunt->targets, hunt->target_count, found->group);
}

/* Whether it is new. Where memory is short it counts again in the next round. */
static bool see(struct hunt *hunt, const struct found *found)
{
  for (size_t i = 0; i < hunt->seen_count; i++)
    if (hunt->seen[i].pid == found->pid && hunt->seen[i].start == found->start)
      return false;
  if (hunt->seen_count == hunt->seen_capacity) {
    size_t capacity = hunt->seen_capacity == 0 ? 64 : hunt->seen_capacity * 2;
    struct name *seen = realloc(hunt->seen, capacity * sizeof *seen);
    if (seen == NULL)
      return true;
    hunt->seen = seen;
    hunt->seen_capacity = capacity;
  }
  hunt->seen[hunt->seen_count++] = (struct name){found->pid, found->start};
  return true;
}

/* By pidfd, looked at after it was opened, so that a pid that is in use again is not hit. */
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

/* A group in one call, which no fork escapes; each other process by itself, and what has left its group meanwhile. */
static void signal_members(const struct hunt *hunt, const struct findings *findings)
{
  for (size_t i = 0; i < findings->count; i++) {
    const struct found *found = &findings->processes[i];
    if (found->member && in_owned_group(hunt, found) && !group_came_before(findings, i))
      kill(-found->group, hunt->signal);
  }
  for (size_t i = 0; i < findings->count; i++) {
    const struct found *found = &findings->processes[i];
    struct found now;
    if (!found->member)
      continue;
    if (!in_owned_group(hunt, found) || (process_stat(found->pid, &now) && now.group != found->group))
      send_one(found, hunt->signal);
  }
}

/* What the keeper knows of those it holds is truer than what the client said. */
static void refresh(struct hunt *hunt)
{
  for (size_t i = 0; i < hunt->target_count; i++) {
    const struct process *process = process_by_id(hunt->targets[i].id);
    if (process == NULL)
      continue;
    hunt->targets[i].pid = process->pid;
    hunt->targets[i].running = process->running;
  }
}

static void end_hunt(struct hunt *hunt)
{
  hunt->done(hunt->client, hunt->request, (uint32_t)hunt->seen_count);
  free_targets(hunt->targets, hunt->target_count);
  free(hunt->seen);
  *hunt = (struct hunt){0};
}

/* Its group was signalled as a whole in the first round: it was started since, perhaps in answer to that. */
static bool came_later(const struct hunt *hunt, const struct found *found)
{
  return hunt->round > 0 && hunt->signal != SIGKILL && in_owned_group(hunt, found);
}

static void look(struct hunt *hunt)
{
  refresh(hunt);
  struct findings findings = hunt->all ? find_descendants() : find_processes(hunt->targets, hunt->target_count);
  size_t fresh = 0;
  for (size_t i = 0; i < findings.count; i++) {
    bool new = !came_later(hunt, &findings.processes[i]) && see(hunt, &findings.processes[i]);
    fresh += new;
    /* Another signal than SIGKILL reaches each once. */
    findings.processes[i].member = new || hunt->signal == SIGKILL;
  }
  if (hunt->signal != 0)
    signal_members(hunt, &findings);
  bool complete = findings.settled && (findings.count == 0 || hunt->signal != SIGKILL);
  free(findings.processes);
  hunt->round++;
  if (complete || hunt->signal == 0 || hunt->round >= MAX_ROUNDS)
    end_hunt(hunt);
  else
    hunt->next_at = monotonic_ms() + (findings.settled && fresh > 0 ? 0 : SETTLING_MS);
}

static void begin(struct hunt *place, struct hunt given)
{
  *place = given;
  place->under_way = true;
  look(place);
}

static struct hunt *free_place(void)
{
  for (int i = 0; i < MAX_HUNTS; i++)
    if (!hunts[i].under_way)
      return &hunts[i];
  return NULL;
}

bool room_to_hunt(void)
{
  return free_place() != NULL;
}

void hunt_targets(struct target *targets, size_t count, int signal, uint64_t client, uint32_t request, hunt_done *done)
{
  begin(free_place(), (struct hunt){.targets = targets,
                                    .target_count = count,
                                    .signal = signal,
                                    .client = client,
                                    .request = request,
                                    .done = done});
}

void hunt_all(int signal, hunt_done *done)
{
  struct hunt *place = &hunts[MAX_HUNTS];
  if (place->under_way)
    end_hunt(place);
  begin(place, (struct hunt){.all = true, .signal = signal, .done = done});
}

int hunt_on(int64_t now)
{
  int wait = -1;
  for (int i = 0; i <= MAX_HUNTS; i++) {
    if (hunts[i].under_way && hunts[i].next_at <= now)
      look(&hunts[i]);
    if (!hunts[i].under_way)
      continue;
    int64_t left = hunts[i].next_at > now ? hunts[i].next_at - now : 0;
    if (wait < 0 || left < wait)
      wait = (int)left;
  }
  return wait;
}
