#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child.h"
#include "clock.h"
#include "complain.h"
#include "loop.h"
#include "pty.h"

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
/* Added to that of the keeper for what it starts, so that a lack of memory ends a command, not the keeper. */
#define OOM_SCORE_ADDED 200
#define MAX_OOM_SCORE 1000
static int oom_score;
static struct launch *launches;

void start_free(struct start *start)
{
  free(start->account.groups);
  free(start->argv);
  free(start->envp);
  free(start->memory);
}

static int own_oom_score(void)
{
  char text[16] = {0};
  int file = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, text, sizeof text - 1) < 0)
    text[0] = '\0';
  if (file >= 0)
    close(file);
  return (int)strtol(text, NULL, 10);
}

void spawn_open(bool no_new_privileges)
{
  confines = no_new_privileges;
  original_mask = umask(077);
  if (getrlimit(RLIMIT_NOFILE, &original_files) < 0)
    give_up("getrlimit", NULL);
  struct rlimit wanted = {original_files.rlim_max, original_files.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &wanted) < 0)
    complain("setrlimit", NULL);
  oom_score = own_oom_score() + OOM_SCORE_ADDED;
  if (oom_score > MAX_OOM_SCORE)
    oom_score = MAX_OOM_SCORE;
}

static void launch_free(struct launch *launch)
{
  struct launch **at = &launches;
  while (*at != NULL && *at != launch)
    at = &(*at)->next;
  if (*at != NULL)
    *at = launch->next;
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
  process_unstarted(process, (struct failure){stage, error});
}

/*
 * Not by the child: while it shares the memory of the keeper, the system changes the score of both. The system refuses
 * a lower score than that of the keeper without a privilege: that is no failure.
 */
static void set_oom_score(const struct launch *launch)
{
  char path[48];
  int score = oom_score;
  for (int i = 0; i < launch->start.limit_count; i++)
    if (launch->start.limits[i].kind == LIMIT_OOM)
      score = (int)launch->start.limits[i].soft - MAX_OOM_SCORE;
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", launch->pid);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  dprintf(file, "%d", score);
  close(file);
}

/* The child has called execve: the memory is the keeper's alone again. */
static void succeed(struct launch *launch)
{
  set_oom_score(launch);
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

static void close_all(int *descriptors, int count)
{
  int error = errno;
  for (int i = 0; i < count; i++)
    if (descriptors[i] >= 0)
      close(descriptors[i]);
  errno = error;
}

/* `own` does not block; the pipe belongs to `account`, so that the program can open it again by name. */
static bool open_pipe(int *own, int *others, bool others_reads, const struct account *account)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    return false;
  *own = ends[others_reads ? 1 : 0];
  *others = ends[others_reads ? 0 : 1];
  if (fcntl(*own, F_SETFL, O_NONBLOCK) < 0)
    return false;
  return !account->given || account->uid == geteuid() || fchown(*others, account->uid, account->gid) == 0;
}

static bool write_all(int file, const uint8_t *bytes, size_t length)
{
  for (size_t done = 0; done < length;) {
    ssize_t count = pwrite(file, bytes + done, length - done, (off_t)done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += (size_t)count;
  }
  return true;
}

/* In memory, or in an unlinked file; -1 with errno. */
static int open_script(const struct start *start)
{
  int file = memfd_create("script", MFD_CLOEXEC);
  if (file < 0)
    file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0)
    return -1;
  bool owned = !start->account.given || start->account.uid == geteuid() ||
               fchown(file, start->account.uid, start->account.gid) == 0;
  if (fchmod(file, 0600) == 0 && owned && write_all(file, start->script, start->script_length))
    return file;
  close_all(&file, 1);
  return -1;
}

/* The descriptors of one start: the keeper's ends and the child's. -1 where there is none. */
enum { IN, OUT, ERR, CHILD_IN, CHILD_OUT, CHILD_ERR, SCRIPT, DESCRIPTORS };

static bool open_streams(const struct start *start, int *fds)
{
  if (start->stdin_kind == STDIN_TERMINAL) {
    if (!pty_open(&fds[OUT], &fds[CHILD_IN], start->columns, start->rows, &start->account))
      return false;
    fds[IN] = fcntl(fds[OUT], F_DUPFD_CLOEXEC, 4);
    return fds[IN] >= 0;
  }
  if (!open_pipe(&fds[OUT], &fds[CHILD_OUT], false, &start->account) ||
      !open_pipe(&fds[ERR], &fds[CHILD_ERR], false, &start->account))
    return false;
  if (start->stdin_kind == STDIN_PIPE)
    return open_pipe(&fds[IN], &fds[CHILD_IN], true, &start->account);
  fds[CHILD_IN] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return fds[CHILD_IN] >= 0;
}

/* Gives the keeper's ends to the process; false, with errno and all closed, where the loop cannot wait for one. */
static bool hold_streams(struct process *process, const struct start *start, int *fds)
{
  bool terminal = start->stdin_kind == STDIN_TERMINAL;
  struct stream_open terms = {
      .process = process,
      .id = process->id,
      .events = &process_stream_events,
      .number = terminal ? PTY_STREAM : STDOUT_STREAM,
      .fd = fds[OUT],
      .cap = start->cap,
      .segment_bytes = start->segment_bytes,
  };
  bool held = stream_open(&process->streams[0], &terms);
  fds[OUT] = -1;
  process->stream_count = 1;
  if (held && !terminal) {
    terms.number = STDERR_STREAM;
    terms.fd = fds[ERR];
    held = stream_open(&process->streams[1], &terms);
    fds[ERR] = -1;
    process->stream_count = 2;
  }
  if (held && fds[IN] >= 0) {
    held = input_open(&process->input, process, fds[IN], process_changed);
    fds[IN] = -1;
  }
  process->open_streams = process->stream_count;
  return held;
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
static bool run(struct launch *launch, const int *fds)
{
  const struct start *start = &launch->start;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
    return false;
  launch->report.fd = ends[0];
  bool terminal = start->stdin_kind == STDIN_TERMINAL;
  launch->child = (struct child){
      .start = start,
      .in = fds[CHILD_IN],
      .out = terminal ? fds[CHILD_IN] : fds[CHILD_OUT],
      .err = terminal ? fds[CHILD_IN] : fds[CHILD_ERR],
      .script = fds[SCRIPT],
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

/* Everything that can fail here is done before the child is cloned. */
static bool begin(struct launch *launch, struct process *process, struct failure *failure)
{
  int fds[DESCRIPTORS];
  for (int i = 0; i < DESCRIPTORS; i++)
    fds[i] = -1;
  const struct start *start = &launch->start;
  bool cloned = false;
  if (!open_streams(start, fds) || !hold_streams(process, start, fds))
    *failure = (struct failure){PIPE_STAGE, errno};
  else if (start->has_script && (fds[SCRIPT] = open_script(start)) < 0)
    *failure = (struct failure){SCRIPT_STAGE, errno};
  else if (!(cloned = run(launch, fds)))
    *failure = (struct failure){CLONE_STAGE, errno};
  close_all(fds, DESCRIPTORS);
  return cloned;
}

static bool store_record(struct process *process, const struct start *start)
{
  process->record.length = start->record_length;
  process->record.bytes = malloc(start->record_length + 1);
  if (process->record.bytes != NULL)
    memcpy(process->record.bytes, start->record, start->record_length);
  return process->record.bytes != NULL;
}

bool spawn(struct start *start, uint64_t client, struct failure *failure)
{
  struct process *process = process_add(start->id);
  bool stored = process != NULL && store_record(process, start);
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
  if (!begin(launch, process, failure)) {
    launch_free(launch);
    process_unstarted(process, *failure);
    return true;
  }
  process_cloned(process, launch->pid);
  launch->process = process;
  launch->kill_at = monotonic_ms() + START_MS;
  launch->next = launches;
  launches = launch;
  return true;
}
