#include "finder/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"

#define NAME "SVC_COMMAND_ID="
#define NAME_LENGTH (sizeof NAME - 1)
/* ms that the helper may take. */
#define READER_MS 1000
/* Descriptor of the report in the helper. */
#define REPORT_FD 4

enum mark_state { MARKED, UNMARKED, EMPTY, NO_PERMISSION };

/* Matches an environment byte by byte, across the boundaries of reads. */
struct matcher {
  size_t at;
  bool differs;
  size_t length;
};

/* True once `mark` is complete. */
static bool match(struct matcher *matcher, char c, char mark[MAX_ID + 1])
{
  if (c == '\0') {
    bool complete = !matcher->differs && matcher->at >= NAME_LENGTH && matcher->length <= MAX_ID;
    if (complete)
      mark[matcher->length] = '\0';
    *matcher = (struct matcher){0};
    return complete;
  }
  if (matcher->at < NAME_LENGTH)
    matcher->differs |= c != NAME[matcher->at];
  else if (!matcher->differs && matcher->length < MAX_ID)
    mark[matcher->length++] = c;
  else
    matcher->differs = true;
  matcher->at++;
  return false;
}

static enum mark_state read_environment(pid_t pid, char mark[MAX_ID + 1])
{
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/environ", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return errno == EACCES || errno == EPERM ? NO_PERMISSION : UNMARKED;
  char chunk[16 * 1024];
  struct matcher matcher = {0};
  enum mark_state state = EMPTY;
  ssize_t count;
  while (state != MARKED && (count = read(file, chunk, sizeof chunk)) > 0) {
    state = UNMARKED;
    for (ssize_t i = 0; i < count && state != MARKED; i++)
      if (match(&matcher, chunk[i], mark))
        state = MARKED;
  }
  if (state == EMPTY && count < 0)
    state = errno == EACCES || errno == EPERM ? NO_PERMISSION : UNMARKED;
  close(file);
  return state;
}

/* The kernel shows arguments and environment from the same moment of execve on; no program has neither. */
static bool has_arguments(pid_t pid)
{
  char path[32], first;
  snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return true;
  bool has = read(file, &first, 1) != 0;
  close(file);
  return has;
}

static enum mark_state read_mark(pid_t pid, char mark[MAX_ID + 1])
{
  enum mark_state state = read_environment(pid, mark);
  if (state != EMPTY || !has_arguments(pid))
    return state;
  /* execve may have been over between the two reads. */
  state = read_environment(pid, mark);
  return state == EMPTY ? UNMARKED : state;
}

/* False if the pipe is closed: a mark is shorter than PIPE_BUF, so that it is written whole or not at all. */
static bool report(const struct mark *mark)
{
  return write(REPORT_FD, mark, sizeof *mark) == sizeof *mark;
}

/* Reads and drops from the list what can be read; the number that is left. */
static size_t read_all(pid_t *pids, size_t count)
{
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    struct mark mark = {.pid = pids[i]};
    enum mark_state state = read_mark(pids[i], mark.id);
    mark.unsettled = state == EMPTY;
    if (state == NO_PERMISSION)
      pids[left++] = pids[i];
    else if (state != UNMARKED && !report(&mark))
      return 0;
  }
  return left;
}

/* The saved ids stay root's, so that the helper can become the next account. */
static bool become(const struct account *account)
{
  return setresuid(0, 0, 0) == 0 && setgroups(account->count, account->groups) == 0 &&
         setresgid(account->gid, account->gid, 0) == 0 && setresuid(account->uid, account->uid, 0) == 0;
}

/* Undone by every change of ids. */
static void end_with_keeper(void)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static _Noreturn void help(const pid_t *given, size_t count, const struct account *const *accounts,
                           size_t account_count, int report_to)
{
  pid_t *pids = malloc(count * sizeof *pids);
  if (pids == NULL || dup2(report_to, REPORT_FD) < 0)
    _exit(1);
  /* Else a helper that hangs would hold pipes of processes open. */
  close_from(REPORT_FD + 1);
  memcpy(pids, given, count * sizeof *pids);
  end_with_keeper();
  size_t left = read_all(pids, count);
  for (size_t i = 0; i < account_count && left > 0; i++)
    if (become(accounts[i])) {
      end_with_keeper();
      left = read_all(pids, left);
    }
  _exit(0);
}

static void finish(struct mark_reader *reader)
{
  reader->done = true;
  loop_close(&reader->source);
  if (reader->helper > 0)
    kill(reader->helper, SIGKILL);
  reader->helper = 0;
}

static void reader_ready(struct source *source, uint32_t events)
{
  (void)events;
  struct mark_reader *reader = (struct mark_reader *)source;
  size_t room = reader->capacity * sizeof *reader->marks - reader->bytes;
  ssize_t count = read(source->fd, (char *)reader->marks + reader->bytes, room);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (count > 0)
    reader->bytes += (size_t)count;
  if (count <= 0 || (size_t)count == room)
    finish(reader);
}

/* False, with errno, if there is no helper. */
static bool fork_helper(struct loop *loop, struct mark_reader *reader, const pid_t *pids, size_t count,
                        const struct account *const *accounts, size_t account_count)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    return false;
  reader->source.fd = ends[0];
  bool ready = fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && loop_add(loop, &reader->source, EPOLLIN);
  reader->helper = ready ? fork() : -1;
  if (reader->helper == 0)
    help(pids, count, accounts, account_count, ends[1]);
  int error = errno;
  close(ends[1]);
  errno = error;
  return reader->helper > 0;
}

void mark_reader_open(struct loop *loop, struct mark_reader *reader, const pid_t *pids, size_t count,
                      const struct account *const *accounts, size_t account_count)
{
  *reader = (struct mark_reader){.source = {.fd = -1, .ready = reader_ready}, .until = monotonic_ms() + READER_MS};
  if (count == 0) {
    reader->done = true;
    return;
  }
  reader->capacity = count;
  reader->marks = malloc(count * sizeof *reader->marks);
  if (reader->marks != NULL && fork_helper(loop, reader, pids, count, accounts, geteuid() == 0 ? account_count : 0))
    return;
  log_error("cannot read marks", NULL);
  finish(reader);
}

bool mark_reader_done(struct mark_reader *reader, int64_t now)
{
  if (!reader->done && reader->until <= now)
    finish(reader);
  return reader->done;
}

size_t mark_reader_count(const struct mark_reader *reader)
{
  return reader->bytes / sizeof *reader->marks;
}

void mark_reader_reaped(struct mark_reader *reader, pid_t pid)
{
  if (reader->helper == pid)
    reader->helper = 0;
}

void mark_reader_close(struct mark_reader *reader)
{
  if (reader->marks == NULL && reader->helper == 0)
    return;
  finish(reader);
  free(reader->marks);
  reader->marks = NULL;
  reader->bytes = 0;
}
