#include "start/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"
#include "start/process-streams.h"

/* ms that a child may take until execve: it may be stopped, or its interpreter be on a file system that hangs. */
#ifndef START_MS
#define START_MS 5000
#endif

/* A start under way. Its memory stays until its child has called execve or was reaped. */
struct launch {
  /* First, since it links the memory that is freed later. */
  struct launch *next;
  struct launches *all;
  struct source report;
  /* NULL once it has failed. */
  struct process *process;
  pid_t pid;
  int64_t kill_at;
  struct start start;
  struct child child;
  unsigned char *stack;
};

void spawn_open(struct launches *launches, bool no_new_privileges)
{
  launches->confines = no_new_privileges;
  launches->mask = umask(077);
  if (getrlimit(RLIMIT_NOFILE, &launches->files) < 0)
    log_fatal("getrlimit", NULL);
  struct rlimit wanted = {launches->files.rlim_max, launches->files.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &wanted) < 0)
    log_error("setrlimit", NULL);
}

static void launch_free(struct launch *launch)
{
  struct launches *launches = launch->all;
  struct launch **at = &launches->first;
  while (*at != NULL && *at != launch)
    at = &(*at)->next;
  if (*at != NULL) {
    *at = launch->next;
    launches->count--;
  }
  loop_close(&launch->report);
  if (launch->stack != NULL)
    munmap(launch->stack, CHILD_STACK_BYTES);
  start_free(&launch->start);
  /* An event of this turn of the loop may still point at it. */
  loop_free_later(launches->processes->loop, launch);
}

static void fail(struct launch *launch, enum stage stage, int error)
{
  struct process *process = launch->process;
  launch->process = NULL;
  loop_close(&launch->report);
  forker_close(launch->all->forkers, process);
  process_unstarted(process, (struct failure){stage, error});
}

/* The child has called execve: the memory is the keeper's alone again. */
static void succeed(struct launch *launch)
{
  score_begun(&launch->all->scores, launch->pid, start_score(&launch->start, launch->all->processes->oom->usual_score));
  process_started(launch->process);
  launch_free(launch);
}

static void settle(struct launch *launch)
{
  struct child_report report;
  ssize_t count = read(launch->report.fd, &report, sizeof report);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (count == sizeof report)
    fail(launch, (enum stage)report.stage, report.error);
  else
    succeed(launch);
}

static void report_ready(struct source *source, uint32_t events)
{
  (void)events;
  settle((struct launch *)(void *)((char *)source - offsetof(struct launch, report)));
}

/* Without a report it was killed, by no order of the keeper: that is how the program ended. */
void launch_reaped(struct launches *launches, pid_t pid)
{
  for (struct launch *launch = launches->first; launch != NULL; launch = launch->next) {
    if (launch->pid != pid)
      continue;
    if (launch->process == NULL)
      launch_free(launch);
    else {
      settle(launch);
      launch_reaped(launches, pid);
    }
    return;
  }
}

int launches_due(struct launches *launches, int64_t now)
{
  int wait = scores_due(&launches->scores, now);
  for (struct launch *launch = launches->first; launch != NULL; launch = launch->next) {
    if (launch->process == NULL)
      continue;
    int64_t left = launch->kill_at - now;
    if (left <= 0) {
      /* Not reaped, so that the pid is still that of the child. */
      kill(launch->pid, SIGKILL);
      fail(launch, EXEC_STAGE, ETIMEDOUT);
    } else if (wait < 0 || left < wait) {
      wait = (int)left;
    }
  }
  return wait;
}

static struct launch *new_launch(struct launches *launches, struct start *start)
{
  struct launch *launch = calloc(1, sizeof *launch);
  if (launch == NULL)
    return NULL;
  launch->all = launches;
  launch->report = (struct source){.fd = -1, .ready = report_ready};
  launch->stack =
      mmap(NULL, CHILD_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (launch->stack == MAP_FAILED) {
    free(launch);
    return NULL;
  }
  launch->start = *start;
  *start = (struct start){0};
  return launch;
}

/* The child begins in a group of its own if one can be had. */
static pid_t clone_child(struct launch *launch)
{
  struct command_groups *groups = &launch->all->processes->oom->groups;
  uint64_t number = launch->all->cloning.ignores_groups ? 0 : command_group_make(groups);
  int group = command_group_open(groups, number);
  pid_t pid = child_clone(&launch->all->cloning, &launch->child, launch->stack, &group);
  int error = errno;
  if (group >= 0)
    launch->process->oom.group = number;
  else
    command_group_remove(groups, number);
  close_all(&group, 1);
  errno = error;
  return pid;
}

/* False, with errno, if the child could not be cloned or would not be noticed. */
static bool run(struct launch *launch, const struct child_ends *given, int channel)
{
  const struct start *start = &launch->start;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
    return false;
  launch->report.fd = ends[0];
  bool terminal = start->stdin_kind == STDIN_TERMINAL;
  launch->child = (struct child){
      .start = start,
      .in = given->in,
      .out = terminal ? given->in : given->out,
      .err = terminal ? given->in : given->err,
      .script = given->script,
      .channel = channel,
      .report = ends[1],
      .terminal = terminal,
      .changes_account = start->account.given,
      .is_root = geteuid() == 0,
      .confined = launch->all->confines && start->account.uid != 0,
      .mask = launch->all->mask,
      .files = launch->all->files,
  };
  launch->pid = loop_add(launch->all->processes->loop, &launch->report, EPOLLIN) ? clone_child(launch) : -1;
  close_all(&ends[1], 1);
  return launch->pid > 0;
}

/* Everything that can fail here is done before the child is cloned. */
static bool begin(struct launch *launch, struct failure *failure)
{
  const struct start *start = &launch->start;
  struct own_ends own = {-1, -1, -1};
  struct child_ends given = {-1, -1, -1, -1};
  struct keeping keeping = {start->stdin_kind == STDIN_TERMINAL, start->cap, start->segment_bytes};
  uid_t uid = start->account.given ? start->account.uid : geteuid();
  int channel = -1;
  bool cloned = false;
  if (!open_ends(start, &own, &given) || !hold_ends(launch->process, &keeping, &own) ||
      (start->forks && !forker_open(launch->all->forkers, start->id, uid, &channel)))
    *failure = (struct failure){PIPE_STAGE, errno};
  else if (start->has_script && (given.script = open_script(start)) < 0)
    *failure = (struct failure){SCRIPT_STAGE, errno};
  else if (!(cloned = run(launch, &given, channel)))
    *failure = (struct failure){CLONE_STAGE, errno};
  int all[] = {own.in, own.out, own.err, given.in, given.out, given.err, given.script, channel};
  close_all(all, sizeof all / sizeof *all);
  return cloned;
}

bool spawn(struct launches *launches, struct start *start, uint64_t client, struct failure *failure)
{
  struct process *process = process_add(launches->processes, start->id);
  bool stored = process != NULL && process_keep_record(process, start->record, start->record_length);
  struct launch *launch = stored ? new_launch(launches, start) : NULL;
  if (launch == NULL) {
    *failure = (struct failure){HOLD_STAGE, errno};
    if (process != NULL)
      process_remove(process);
    return false;
  }
  process->stdin_kind = launch->start.stdin_kind;
  process->client = client;
  process->prompt = launch->start.prompt;
  process->forks = launch->start.forks;
  launch->process = process;
  if (!begin(launch, failure)) {
    launch_free(launch);
    forker_close(launches->forkers, process);
    process_unstarted(process, *failure);
    return true;
  }
  process_cloned(process, launch->pid);
  launch->kill_at = monotonic_ms() + START_MS;
  launch->next = launches->first;
  launches->first = launch;
  launches->count++;
  return true;
}
