#include "mark.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "complain.h"

#define NAME "SVC_COMMAND_ID="
#define NAME_LENGTH (sizeof NAME - 1)
/* ms that a child which reads for another account may take. */
#define READER_MS 5000

static char chunk[16 * 1024];

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

enum mark_state read_mark(pid_t pid, char mark[MAX_ID + 1])
{
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/environ", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return errno == EACCES || errno == EPERM ? NO_PERMISSION : UNMARKED;
  struct matcher matcher = {0};
  enum mark_state state = EMPTY_ENVIRONMENT;
  ssize_t count;
  while (state != MARKED && (count = read(file, chunk, sizeof chunk)) > 0) {
    state = UNMARKED;
    for (ssize_t i = 0; i < count && state != MARKED; i++)
      if (match(&matcher, chunk[i], mark))
        state = MARKED;
  }
  if (state == EMPTY_ENVIRONMENT && count < 0)
    state = errno == EACCES || errno == EPERM ? NO_PERMISSION : UNMARKED;
  close(file);
  return state;
}

void unreadable_add(struct unreadable *list, pid_t pid)
{
  if (list->count == list->capacity) {
    size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
    pid_t *pids = realloc(list->pids, capacity * sizeof *pids);
    if (pids == NULL)
      return;
    list->pids = pids;
    list->capacity = capacity;
  }
  list->pids[list->count++] = pid;
}

static _Noreturn void read_and_report(const struct account *account, const struct unreadable *list, int report)
{
  bool became = setgroups(account->count, account->groups) == 0 &&
                setresgid(account->gid, account->gid, account->gid) == 0 &&
                setresuid(account->uid, account->uid, account->uid) == 0;
  for (size_t i = 0; became && i < list->count; i++) {
    struct marked_pid marked = {.pid = list->pids[i]};
    if (read_mark(marked.pid, marked.mark) == MARKED && write(report, &marked, sizeof marked) != sizeof marked)
      break;
  }
  _exit(0);
}

/* A record is shorter than PIPE_BUF, so that it is read whole or not at all. */
static size_t collect(int report, struct marked_pid *marked, size_t capacity)
{
  size_t bytes = 0;
  int64_t until = monotonic_ms() + READER_MS;
  while (bytes < capacity * sizeof *marked) {
    struct pollfd wait = {.fd = report, .events = POLLIN};
    int64_t left = until - monotonic_ms();
    /* With no time left, what is in the pipe is still read. */
    if (poll(&wait, 1, left > 0 ? (int)left : 0) <= 0)
      break;
    ssize_t count = read(report, (char *)marked + bytes, capacity * sizeof *marked - bytes);
    if (count <= 0)
      break;
    bytes += (size_t)count;
  }
  return bytes / sizeof *marked;
}

size_t read_marks_as(const struct account *account, const struct unreadable *list, struct marked_pid **marked)
{
  int ends[2];
  *marked = NULL;
  if (geteuid() != 0 || pipe2(ends, O_CLOEXEC) < 0)
    return 0;
  *marked = malloc(list->count * sizeof **marked);
  pid_t reader = *marked == NULL ? -1 : fork();
  if (reader == 0)
    read_and_report(account, list, ends[1]);
  close(ends[1]);
  size_t count = reader < 0 ? 0 : collect(ends[0], *marked, list->count);
  close(ends[0]);
  if (reader > 0) {
    kill(reader, SIGKILL);
    while (waitpid(reader, NULL, 0) < 0 && errno == EINTR)
      continue;
  }
  return count;
}
