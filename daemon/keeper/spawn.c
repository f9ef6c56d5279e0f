#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"
#include "pty.h"

#define STACK_BYTES (64 * 1024)

/* Memory shared with the child, so that it can report what failed without a pipe. */
struct outcome {
  volatile int stage;
  volatile int error;
};

struct launch {
  const struct start *start;
  int in, out, err, script;
  bool terminal;
  bool changes_account;
};

static struct rlimit original_files;
static mode_t original_mask;
static struct outcome *outcome;
static _Alignas(64) unsigned char stack[STACK_BYTES];

void spawn_open(void)
{
  original_mask = umask(077);
  if (getrlimit(RLIMIT_NOFILE, &original_files) < 0)
    give_up("getrlimit", NULL);
  struct rlimit wanted = {original_files.rlim_max, original_files.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &wanted) < 0)
    complain("setrlimit", NULL);
  outcome = mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (outcome == MAP_FAILED)
    give_up("mmap", NULL);
}

#define IN_CHILD __attribute__((no_sanitize("address", "undefined"), noinline))

IN_CHILD static _Noreturn void child_failed(enum stage stage)
{
  outcome->error = errno;
  outcome->stage = (int)stage;
  for (;;)
    syscall(SYS_exit_group, 127);
}

IN_CHILD static bool become(const struct account *account)
{
  /* By system call: the functions of libc signal other threads, and this child shares memory with the keeper. */
  if (geteuid() == 0 && syscall(SYS_setgroups, account->count, account->groups) < 0)
    return false;
  return syscall(SYS_setresgid, account->gid, account->gid, account->gid) == 0 &&
         syscall(SYS_setresuid, account->uid, account->uid, account->uid) == 0;
}

/* Runs in the memory of the keeper, which waits: it allocates nothing and changes only `outcome`. */
IN_CHILD static int child(void *argument)
{
  const struct launch *launch = argument;
  struct sigaction initial = {.sa_handler = SIG_DFL};
  sigset_t none;
  sigaction(SIGPIPE, &initial, NULL);
  sigaction(SIGXFSZ, &initial, NULL);
  sigemptyset(&none);
  if (setsid() < 0 || (launch->terminal && ioctl(launch->in, TIOCSCTTY, 0) < 0))
    child_failed(SESSION_STAGE);
  if (dup2(launch->in, 0) < 0 || dup2(launch->out, 1) < 0 || dup2(launch->err, 2) < 0 ||
      (launch->script >= 0 && dup2(launch->script, 3) < 0))
    child_failed(SESSION_STAGE);
  if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &original_files, NULL) < 0)
    child_failed(SESSION_STAGE);
  umask(original_mask);
  if (launch->changes_account && !become(&launch->start->account))
    child_failed(ACCOUNT_STAGE);
  if (chdir(launch->start->cwd) < 0)
    child_failed(CWD_STAGE);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(launch->start->file, launch->start->argv, launch->start->envp);
  child_failed(EXEC_STAGE);
}

/* Returns when the child has called execve or has ended: CLONE_VFORK. */
static pid_t launch_child(struct launch *launch)
{
  static bool shares_memory =
#ifdef KEEPER_COPIES_MEMORY
      false;
#else
      true;
#endif
  outcome->stage = 0;
  outcome->error = 0;
  if (shares_memory) {
    pid_t pid = clone(child, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, launch);
    if (pid >= 0 || (errno != EINVAL && errno != ENOSYS && errno != EPERM))
      return pid;
    shares_memory = false;
  }
  return clone(child, stack + STACK_BYTES, CLONE_VFORK | SIGCHLD, launch);
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

static pid_t run(const struct start *start, const int *fds, struct failure *failure)
{
  bool terminal = start->stdin_kind == STDIN_TERMINAL;
  struct launch launch = {
      .start = start,
      .in = fds[CHILD_IN],
      .out = terminal ? fds[CHILD_IN] : fds[CHILD_OUT],
      .err = terminal ? fds[CHILD_IN] : fds[CHILD_ERR],
      .script = fds[SCRIPT],
      .terminal = terminal,
      .changes_account = start->account.given && (geteuid() == 0 || start->account.uid != geteuid()),
  };
  pid_t pid = launch_child(&launch);
  if (pid < 0) {
    *failure = (struct failure){CLONE_STAGE, errno};
    return -1;
  }
  if (outcome->stage == 0)
    return pid;
  *failure = (struct failure){(enum stage)outcome->stage, outcome->error};
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  return -1;
}

/* Gives the keeper's ends to the process; false, with errno and all closed, where the loop cannot wait for one. */
static bool hold_streams(struct process *process, const struct start *start, int *fds)
{
  bool terminal = start->stdin_kind == STDIN_TERMINAL;
  bool held = stream_open(&process->streams[0], process, terminal ? PTY_STREAM : STDOUT_STREAM, fds[OUT], start->cap,
                          start->segment_bytes);
  fds[OUT] = -1;
  process->stream_count = 1;
  if (held && !terminal) {
    held = stream_open(&process->streams[1], process, STDERR_STREAM, fds[ERR], start->cap, start->segment_bytes);
    fds[ERR] = -1;
    process->stream_count = 2;
  }
  if (held && fds[IN] >= 0) {
    held = input_open(&process->input, process, fds[IN]);
    fds[IN] = -1;
  }
  process->open_streams = process->stream_count;
  return held;
}

/* Everything that can fail is done before the program runs. */
struct process *spawn(const struct start *start, struct failure *failure)
{
  struct process *process = process_add(start->id);
  if (process == NULL) {
    *failure = (struct failure){HOLD_STAGE, errno};
    return NULL;
  }
  process->stdin_kind = start->stdin_kind;
  int fds[DESCRIPTORS];
  for (int i = 0; i < DESCRIPTORS; i++)
    fds[i] = -1;
  pid_t pid = -1;
  if (!open_streams(start, fds) || !hold_streams(process, start, fds))
    *failure = (struct failure){PIPE_STAGE, errno};
  else if (start->has_script && (fds[SCRIPT] = open_script(start)) < 0)
    *failure = (struct failure){SCRIPT_STAGE, errno};
  else
    pid = run(start, fds, failure);
  close_all(fds, DESCRIPTORS);
  if (pid < 0) {
    process_remove(process);
    return NULL;
  }
  process_runs(process, pid);
  return process;
}
