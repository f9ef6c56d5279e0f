#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adoption.h"
#include "child.h"
#include "clock.h"
#include "complain.h"
#include "descriptors.h"
#include "figures.h"
#include "loop.h"
#include "oom.h"
#include "process-streams.h"

/* ms that a child may take until execve: it may be stopped, or its interpreter be on a file system that hangs. */
#ifndef START_MS
#define START_MS 5000
#endif

/* A start under way. Its memory stays until its child has called execve or was reaped. */
struct launch {
  /* First, since it links the memory that is freed later. */
  struct launch *next;
  struct source report;
  /* NULL once it has failed. */
  struct process *process;
  pid_t pid;
  int64_t kill_at;
  struct start start;
  struct child child;
  unsigned char *stack;
};

static struct rlimit original_files;
static mode_t original_mask;
static bool confines;
static struct launch *launches;

void spawn_open(bool no_new_privileges)
{
  confines = no_new_privileges;
  original_mask = umask(077);
  if (getrlimit(RLIMIT_NOFILE, &original_files) < 0)
    give_up("getrlimit", NULL);
  struct rlimit wanted = {original_files.rlim_max, original_files.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &wanted) < 0)
    complain("setrlimit", NULL);
}

static void launch_free(struct launch *launch)
{
  struct launch **at = &launches;
  while (*at != NULL && *at != launch)
    at = &(*at)->next;
  if (*at != NULL) {
    *at = launch->next;
    figures.starting--;
  }
  loop_close(&launch->report);
  if (launch->stack != NULL)
    munmap(launch->stack, CHILD_STACK_BYTES);
  start_free(&launch->start);
  /* An event of this turn of the loop may still point at it. */
  free_later(launch);
}

static void fail(struct launch *launch, enum stage stage, int error)
{
  struct process *process = launch->process;
  launch->process = NULL;
  loop_close(&launch->report);
  forker_close(process);
  process_unstarted(process, (struct failure){stage, error});
}

/* The child has called execve: the memory is the keeper's alone again. */
static void succeed(struct launch *launch)
{
  oom_set_score(launch->pid, launch->start.has_oom_score, launch->start.oom_score);
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
void launch_reaped(pid_t pid)
{
  for (struct launch *launch = launches; launch != NULL; launch = launch->next) {
    if (launch->pid != pid)
      continue;
    if (launch->process == NULL)
      launch_free(launch);
    else {
      settle(launch);
      launch_reaped(pid);
    }
    return;
  }
}

int launches_due(int64_t now)
{
  int wait = -1;
  for (struct launch *launch = launches; launch != NULL; launch = launch->next) {
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

static struct launch *new_launch(struct start *start)
{
  struct launch *launch = calloc(1, sizeof *launch);
  if (launch == NULL)
    return NULL;
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

/* False, with errno, where the child could not be cloned or would not be noticed. */
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
      .confined = confines && start->account.uid != 0,
      .mask = original_mask,
      .files = original_files,
  };
  launch->pid = loop_add(&launch->report, EPOLLIN) ? child_clone(&launch->child, launch->stack) : -1;
  close_all(&ends[1], 1);
  return launch->pid > 0;
}

static bool open_channel(const struct start *start, int *channel)
{
  return forker_open(start->id, start->account.given ? start->account.uid : geteuid(), channel);
}

/* Everything that can fail here is done before the child is cloned. */
static bool begin(struct launch *launch, struct process *process, struct failure *failure)
{
  const struct start *start = &launch->start;
  struct own_ends own = {-1, -1, -1};
  struct child_ends given = {-1, -1, -1, -1};
  struct keeping keeping = {start->stdin_kind == STDIN_TERMINAL, start->cap, start->segment_bytes};
  int channel = -1;
  bool cloned = false;
  if (!open_ends(start, &own, &given) || !hold_ends(process, &keeping, &own) ||
      (start->forks && !open_channel(start, &channel)))
    *failure = (struct failure){PIPE_STAGE, errno};
  else if (start->has_script && (given.script = open_script(start)) < 0)
    *failure = (struct failure){SCRIPT_STAGE, errno};
  else if (!(cloned = run(launch, &given, channel)))
    *failure = (struct failure){CLONE_STAGE, errno};
  int all[] = {own.in, own.out, own.err, given.in, given.out, given.err, given.script, channel};
  close_all(all, sizeof all / sizeof *all);
  return cloned;
}

bool spawn(struct start *start, uint64_t client, struct failure *failure)
{
  struct process *process = process_add(start->id);
  bool stored = process != NULL && process_keep_record(process, start->record, start->record_length);
  struct launch *launch = stored ? new_launch(start) : NULL;
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
  if (!begin(launch, process, failure)) {
    launch_free(launch);
    forker_close(process);
    process_unstarted(process, *failure);
    return true;
  }
  process_cloned(process, launch->pid);
  launch->process = process;
  launch->kill_at = monotonic_ms() + START_MS;
  launch->next = launches;
  launches = launch;
  figures.starting++;
  return true;
}
