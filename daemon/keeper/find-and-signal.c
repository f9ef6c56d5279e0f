#include "find-and-signal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer.h"
#include "clock.h"
#include "figures.h"
#include "mark.h"
#include "process.h"

/* Scans after which a program that forks faster than it can be found is given up. */
#define MAX_ROUNDS 64
/* ms until a process that is in the middle of execve is scanned again. */
#define SETTLING_MS 2
/* Searches that may be under way; the others wait for their turn. */
#define MAX_UNDER_WAY 16
/* Requests of one client, and their targets: a client that exceeds this is disconnected. */
#define MAX_REQUESTS 1024u
#define MAX_WAITING_TARGETS (64u * 4096)

struct name {
  pid_t pid;
  uint64_t start;
};

/* One SIGNAL: a scan, the signals that need no marks, the marks, the other signals; for SIGKILL again and again. */
struct search {
  struct search *next;
  bool all;
  /* The marks are being read. */
  bool reading;
  struct target *targets;
  size_t target_count;
  int signal;
  int round;
  int64_t next_at;
  struct survey survey;
  struct mark_reader reader;
  /* New processes in this round. */
  size_t fresh;
  struct name *reached;
  size_t reached_length;
  size_t reached_capacity;
  uint64_t client;
  uint32_t request;
};

/* In the order of their requests. */
static struct search *searches;

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

static bool was_reached(const struct search *search, const struct found *found)
{
  for (size_t i = 0; i < search->reached_length; i++)
    if (search->reached[i].pid == found->pid && search->reached[i].start == found->start)
      return true;
  return false;
}

/* Where memory is short it is counted again in the next round. */
static void count_reached(struct search *search, const struct found *found)
{
  search->fresh++;
  if (search->reached_length == search->reached_capacity) {
    size_t capacity = search->reached_capacity == 0 ? 64 : search->reached_capacity * 2;
    struct name *reached = realloc(search->reached, capacity * sizeof *reached);
    if (reached == NULL)
      return;
    search->reached = reached;
    search->reached_capacity = capacity;
  }
  search->reached[search->reached_length++] = (struct name){found->pid, found->start};
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

static void note_kill(const struct search *search, pid_t pid)
{
  struct process *process = search->signal == SIGKILL ? process_by_pid(pid) : NULL;
  if (process != NULL)
    process->killed = true;
}

/* Its group was signalled as a whole in the first round, so it was started since, perhaps because of the signal. */
static bool came_later(const struct search *search, const struct found *found)
{
  return search->round > 0 && search->signal != SIGKILL && in_owned_group(search, found);
}

/* Signals other than SIGKILL are sent once to each process. */
static bool is_due(const struct search *search, const struct found *found)
{
  return found->member && !came_later(search, found) && (search->signal == SIGKILL || !was_reached(search, found));
}

static bool group_came_before(const struct search *search, size_t index)
{
  const struct found *items = search->survey.items;
  for (size_t i = 0; i < index; i++)
    if (is_due(search, &items[i]) && items[i].group == items[index].group)
      return true;
  return false;
}

/* A group in one call, which no fork escapes; one by one the other processes, and those that have left their group. */
static void signal_members(struct search *search)
{
  struct survey *survey = &search->survey;
  for (size_t i = 0; i < survey->count; i++) {
    const struct found *found = &survey->items[i];
    if (search->signal == 0 || !is_due(search, found) || !in_owned_group(search, found) || group_came_before(search, i))
      continue;
    if (search->signal == SIGKILL)
      for (size_t j = 0; j < survey->count; j++)
        if (survey->items[j].group == found->group)
          note_kill(search, survey->items[j].pid);
    kill(-found->group, search->signal);
  }
  for (size_t i = 0; i < survey->count; i++) {
    const struct found *found = &survey->items[i];
    struct found now;
    if (!is_due(search, found))
      continue;
    bool by_group = search->signal == 0 || (in_owned_group(search, found) &&
                                            (!process_stat(found->pid, &now) || now.group == found->group));
    if (!by_group)
      note_kill(search, found->pid);
    bool reached = by_group ? search->signal == 0 || may_signal(found) : send_one(found, search->signal);
    if (reached && !was_reached(search, found))
      count_reached(search, found);
  }
}

/* For a process that the keeper holds, its own pid and state replace those of the request. */
static void refresh(struct search *search)
{
  for (size_t i = 0; i < search->target_count; i++) {
    struct target *target = &search->targets[i];
    const struct process *process = process_by_id(target->id);
    if (process == NULL)
      continue;
    target->pid = process->pid;
    target->running = process_lives(process);
    /* It was reaped since the scan: its group may be that of a later process. */
    target->owned = target->owned && target->running;
  }
}

static bool account_came_before(const struct search *search, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (search->targets[i].account.given && search->targets[i].account.uid == search->targets[index].account.uid)
      return true;
  return false;
}

/* Of every process that may be a member for its mark alone, or not for its mark. */
static void read_marks(struct search *search)
{
  const struct survey *survey = &search->survey;
  pid_t *pids = malloc((survey->count + 1) * sizeof *pids);
  const struct account **accounts = malloc((search->target_count + 1) * sizeof *accounts);
  size_t count = 0, account_count = 0;
  for (size_t i = 0; pids != NULL && i < survey->count; i++)
    if (!survey->items[i].member)
      pids[count++] = survey->items[i].pid;
  for (size_t i = 0; accounts != NULL && i < search->target_count; i++)
    if (search->targets[i].account.given && !account_came_before(search, i))
      accounts[account_count++] = &search->targets[i].account;
  mark_reader_open(&search->reader, pids, count, accounts, account_count);
  free(pids);
  free(accounts);
  search->reading = true;
}

static size_t members(const struct survey *survey)
{
  size_t count = 0;
  for (size_t i = 0; i < survey->count; i++)
    count += survey->items[i].member;
  return count;
}

static void drop_survey(struct search *search)
{
  free(search->survey.items);
  search->survey = (struct survey){0};
}

/* Whether the search is over. */
static bool end_round(struct search *search)
{
  bool settled = search->survey.settled;
  bool complete = settled && (search->signal != SIGKILL || members(&search->survey) == 0);
  drop_survey(search);
  search->round++;
  search->next_at = monotonic_ms() + (settled && search->fresh > 0 ? 0 : SETTLING_MS);
  search->fresh = 0;
  return complete || search->signal == 0 || search->round >= MAX_ROUNDS;
}

/* One step; whether the search is over. */
static bool advance(struct search *search, int64_t now)
{
  if (search->reading) {
    if (!mark_reader_done(&search->reader, now))
      return false;
    refresh(search);
    survey_apply(&search->survey, search->targets, search->target_count, search->reader.marks,
                 mark_reader_count(&search->reader));
    mark_reader_close(&search->reader);
    search->reading = false;
    signal_members(search);
    return end_round(search);
  }
  if (search->next_at > now)
    return false;
  refresh(search);
  search->survey = search->all ? survey_descendants() : survey_targets(search->targets, search->target_count);
  signal_members(search);
  if (search->all)
    return end_round(search);
  read_marks(search);
  return false;
}

static int64_t due_at(const struct search *search)
{
  if (!search->reading)
    return search->next_at;
  return search->reader.done ? 0 : search->reader.until;
}

static void free_search(struct search *search)
{
  figures.searches--;
  mark_reader_close(&search->reader);
  drop_survey(search);
  free_targets(search->targets, search->target_count);
  free(search->reached);
  free_later(search);
}

static void append(struct search *search)
{
  figures.searches++;
  struct search **at = &searches;
  while (*at != NULL)
    at = &(*at)->next;
  *at = search;
}

/* Whether the client has too many requests under way. */
static bool is_flooded(uint64_t client, size_t count)
{
  size_t requests = 0;
  for (const struct search *search = searches; search != NULL; search = search->next) {
    requests += search->client == client;
    count += search->client == client ? search->target_count : 0;
  }
  return requests >= MAX_REQUESTS || count > MAX_WAITING_TARGETS;
}

bool find_and_signal(struct target *targets, size_t count, int signal, uint64_t client, uint32_t request)
{
  struct search *search = is_flooded(client, count) ? NULL : calloc(1, sizeof *search);
  if (search == NULL) {
    free_targets(targets, count);
    return false;
  }
  *search = (struct search){
      .targets = targets, .target_count = count, .signal = signal, .client = client, .request = request};
  append(search);
  return true;
}

void find_and_signal_all(int signal)
{
  struct search *search = calloc(1, sizeof *search);
  if (search == NULL)
    return;
  *search = (struct search){.next = searches, .all = true, .signal = signal};
  searches = search;
  figures.searches++;
}

int continue_searches(int64_t now)
{
  int64_t due = INT64_MAX;
  int under_way = 0;
  for (struct search **at = &searches; *at != NULL && under_way < MAX_UNDER_WAY;) {
    struct search *search = *at;
    if (advance(search, now)) {
      *at = search->next;
      answer_signalled(search->client, search->request, (uint32_t)search->reached_length);
      free_search(search);
      /* The next one may begin. */
      due = now;
      continue;
    }
    under_way++;
    due = due_at(search) < due ? due_at(search) : due;
    at = &search->next;
  }
  if (searches == NULL)
    return -1;
  return due > now ? (int)(due - now) : 0;
}
