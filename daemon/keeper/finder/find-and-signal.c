#include "finder/find-and-signal.h"

#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"
#include "finder/mark.h"
#include "finder/signal-members.h"

/* Scans after which a program that forks faster than it can be found is given up. */
#define MAX_ROUNDS 64
/* ms until a process that is in the middle of execve is scanned again, and until it is waited for no more. */
#define SETTLING_MS 2
#define SETTLED_MS 1000
/* ms after which a scan that found nothing counts, though a process has ended meanwhile that may have forked. */
#define PROVED_MS 200
/* Searches that may be under way; the others wait for their turn. */
#define MAX_UNDER_WAY 16
/* Requests of one client, and their targets: a client that exceeds this is disconnected. */
#define MAX_REQUESTS 1024u
#define MAX_WAITING_TARGETS (64u * 4096)

/* One SIGNAL: a scan, the signals that need no marks, the marks, the other signals; for SIGKILL again and again. */
struct search {
  struct search *next;
  struct searches *all;
  /* The marks are being read. */
  bool reading;
  struct signalling signalling;
  int64_t next_at;
  int64_t settled_at;
  int64_t proved_at;
  /* As in the survey of the round before. */
  uint64_t ended;
  struct mark_reader reader;
  uint64_t client;
  uint32_t request;
};

void free_targets(struct target *targets, size_t count)
{
  for (size_t i = 0; i < count; i++)
    free(targets[i].account.groups);
  free(targets);
}

/* For a process that the keeper holds, its own pid and state replace those of the request. */
static void refresh(struct search *search)
{
  struct processes *processes = search->all->finder->processes;
  for (size_t i = 0; i < search->signalling.target_count; i++) {
    struct target *target = &search->signalling.targets[i];
    const struct process *process = process_by_id(processes, target->id);
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
  const struct target *targets = search->signalling.targets;
  for (size_t i = 0; i < index; i++)
    if (targets[i].account.given && targets[i].account.uid == targets[index].account.uid)
      return true;
  return false;
}

/* Of every process that may be a member for its mark alone, or not for its mark. */
static void read_marks(struct search *search)
{
  const struct survey *survey = &search->signalling.survey;
  pid_t *pids = malloc((survey->count + 1) * sizeof *pids);
  const struct account **accounts = malloc((search->signalling.target_count + 1) * sizeof *accounts);
  size_t count = 0, account_count = 0;
  for (size_t i = 0; pids != NULL && i < survey->count; i++)
    if (!survey->items[i].member)
      pids[count++] = survey->items[i].pid;
  for (size_t i = 0; accounts != NULL && i < search->signalling.target_count; i++)
    if (search->signalling.targets[i].account.given && !account_came_before(search, i))
      accounts[account_count++] = &search->signalling.targets[i].account;
  mark_reader_open(search->all->finder->processes->loop, &search->reader, pids, count, accounts, account_count);
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
  free(search->signalling.survey.items);
  search->signalling.survey = (struct survey){0};
}

/* Whether the search is over. */
static bool end_round(struct search *search)
{
  int64_t now = monotonic_ms();
  const struct survey *survey = &search->signalling.survey;
  /* For SIGKILL the last scan has to prove that nothing is left. */
  bool proves = search->signalling.signal != SIGKILL || survey->ended == search->ended || now >= search->proved_at;
  bool settled = (survey->settled && proves) || now >= search->settled_at;
  bool complete = settled && (search->signalling.signal != SIGKILL || members(survey) == 0);
  search->ended = survey->ended;
  drop_survey(search);
  search->signalling.round++;
  search->next_at = now + (settled && search->signalling.fresh > 0 ? 0 : SETTLING_MS);
  search->signalling.fresh = 0;
  return complete || search->signalling.signal == 0 || search->signalling.round >= MAX_ROUNDS;
}

/* One step; whether the search is over. */
static bool advance(struct search *search, int64_t now)
{
  struct signalling *signalling = &search->signalling;
  if (search->reading) {
    if (!mark_reader_done(&search->reader, now))
      return false;
    refresh(search);
    survey_apply(signalling->finder, &signalling->survey, signalling->targets, signalling->target_count,
                 search->reader.marks, mark_reader_count(&search->reader));
    mark_reader_close(&search->reader);
    search->reading = false;
    signal_members(signalling);
    return end_round(search);
  }
  if (search->next_at > now)
    return false;
  if (signalling->round == 0) {
    search->settled_at = now + SETTLED_MS;
    search->proved_at = now + PROVED_MS;
  }
  refresh(search);
  signalling->survey = signalling->all
                           ? survey_descendants(signalling->finder)
                           : survey_targets(signalling->finder, signalling->targets, signalling->target_count);
  signal_members(signalling);
  if (signalling->all)
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
  search->all->count--;
  mark_reader_close(&search->reader);
  drop_survey(search);
  free_targets(search->signalling.targets, search->signalling.target_count);
  free(search->signalling.reached);
  loop_free_later(search->all->finder->processes->loop, search);
}

static void append(struct searches *searches, struct search *search)
{
  searches->count++;
  struct search **at = &searches->first;
  while (*at != NULL)
    at = &(*at)->next;
  *at = search;
}

/* Whether the client has too many requests under way. */
static bool is_flooded(const struct searches *searches, uint64_t client, size_t count)
{
  size_t requests = 0;
  for (const struct search *search = searches->first; search != NULL; search = search->next) {
    requests += search->client == client;
    count += search->client == client ? search->signalling.target_count : 0;
  }
  return requests >= MAX_REQUESTS || count > MAX_WAITING_TARGETS;
}

bool find_and_signal(struct searches *searches, struct target *targets, size_t count, int signal, uint64_t client,
                     uint32_t request)
{
  struct search *search = is_flooded(searches, client, count) ? NULL : calloc(1, sizeof *search);
  if (search == NULL) {
    free_targets(targets, count);
    return false;
  }
  *search = (struct search){
      .all = searches,
      .signalling = {.finder = searches->finder, .targets = targets, .target_count = count, .signal = signal},
      .client = client,
      .request = request,
  };
  append(searches, search);
  return true;
}

void find_and_signal_all(struct searches *searches, int signal)
{
  struct search *search = calloc(1, sizeof *search);
  if (search == NULL)
    return;
  *search = (struct search){
      .next = searches->first,
      .all = searches,
      .signalling = {.finder = searches->finder, .all = true, .signal = signal},
  };
  searches->first = search;
  searches->count++;
}

int continue_searches(struct searches *searches, int64_t now)
{
  int64_t due = INT64_MAX;
  int under_way = 0;
  for (struct search **at = &searches->first; *at != NULL && under_way < MAX_UNDER_WAY;) {
    struct search *search = *at;
    if (advance(search, now)) {
      *at = search->next;
      answer_signalled(searches->answers, search->client, search->request, (uint32_t)search->signalling.reached_length);
      free_search(search);
      /* The next one may begin. */
      due = now;
      continue;
    }
    under_way++;
    due = due_at(search) < due ? due_at(search) : due;
    at = &search->next;
  }
  if (searches->first == NULL)
    return -1;
  return due > now ? (int)(due - now) : 0;
}

void search_helper_reaped(struct searches *searches, pid_t pid)
{
  for (struct search *search = searches->first; search != NULL; search = search->next)
    mark_reader_reaped(&search->reader, pid);
}
