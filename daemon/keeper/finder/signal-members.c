#include "finder/signal-members.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The groups of descendants contain only descendants: a group cannot reach beyond its session. */
static bool in_owned_group(const struct signalling *signalling, const struct found *found)
{
  return signalling->all || owns_group(signalling->targets, signalling->target_count, found->group);
}

static bool was_reached(const struct signalling *signalling, const struct found *found)
{
  for (size_t i = 0; i < signalling->reached_length; i++)
    if (signalling->reached[i].pid == found->pid && signalling->reached[i].start == found->start)
      return true;
  return false;
}

/* Where memory is short it is counted again in the next round. */
static void count_reached(struct signalling *signalling, const struct found *found)
{
  signalling->fresh++;
  if (signalling->reached_length == signalling->reached_capacity) {
    size_t capacity = signalling->reached_capacity == 0 ? 64 : signalling->reached_capacity * 2;
    struct name *reached = realloc(signalling->reached, capacity * sizeof *reached);
    if (reached == NULL)
      return;
    signalling->reached = reached;
    signalling->reached_capacity = capacity;
  }
  signalling->reached[signalling->reached_length++] = (struct name){found->pid, found->start};
}

static bool is_same(const struct found *found)
{
  struct found now;
  return process_stat(found->pid, &now) && now.start == found->start;
}

/* The start time is compared after the pidfd was opened, so that a reused pid is not signalled. */
static bool send_one(const struct found *found, int number)
{
#ifdef SYS_pidfd_open
  int pidfd = (int)syscall(SYS_pidfd_open, found->pid, 0);
  if (pidfd >= 0) {
    long sent = is_same(found) ? syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0) : -1;
    int error = errno;
    close(pidfd);
    if (sent == 0 || (error != ENOSYS && error != EPERM))
      return sent == 0;
  } else if (errno == ESRCH) {
    return false;
  }
#endif
  return is_same(found) && kill(found->pid, number) == 0;
}

/* Whether the signal reaches the process too: a group is signalled as far as permissions go. */
static bool may_signal(const struct found *found)
{
  return kill(found->pid, 0) == 0 || errno != EPERM;
}

static void note_kill(const struct signalling *signalling, pid_t pid)
{
  struct process *process = signalling->signal == SIGKILL ? process_by_pid(signalling->finder->processes, pid) : NULL;
  if (process != NULL)
    process->killed = true;
}

/* Its group was signalled as a whole in the first round, so it was started since, perhaps because of the signal. */
static bool came_later(const struct signalling *signalling, const struct found *found)
{
  return signalling->round > 0 && signalling->signal != SIGKILL && in_owned_group(signalling, found);
}

/* Signals other than SIGKILL are sent once to each process. */
static bool is_due(const struct signalling *signalling, const struct found *found)
{
  return found->member && !came_later(signalling, found) &&
         (signalling->signal == SIGKILL || !was_reached(signalling, found));
}

static bool group_came_before(const struct signalling *signalling, size_t index)
{
  const struct found *items = signalling->survey.items;
  for (size_t i = 0; i < index; i++)
    if (is_due(signalling, &items[i]) && items[i].group == items[index].group)
      return true;
  return false;
}

void signal_members(struct signalling *signalling)
{
  struct survey *survey = &signalling->survey;
  for (size_t i = 0; i < survey->count; i++) {
    const struct found *found = &survey->items[i];
    if (signalling->signal == 0 || !is_due(signalling, found) || !in_owned_group(signalling, found) ||
        group_came_before(signalling, i))
      continue;
    if (signalling->signal == SIGKILL)
      for (size_t j = 0; j < survey->count; j++)
        if (survey->items[j].group == found->group)
          note_kill(signalling, survey->items[j].pid);
    kill(-found->group, signalling->signal);
  }
  for (size_t i = 0; i < survey->count; i++) {
    const struct found *found = &survey->items[i];
    struct found now;
    if (!is_due(signalling, found))
      continue;
    bool by_group = signalling->signal == 0 || (in_owned_group(signalling, found) &&
                                            (!process_stat(found->pid, &now) || now.group == found->group));
    if (!by_group)
      note_kill(signalling, found->pid);
    bool reached = by_group ? signalling->signal == 0 || may_signal(found) : send_one(found, signalling->signal);
    if (reached && !was_reached(signalling, found))
      count_reached(signalling, found);
  }
}
