/*
 * Preloaded: handles what has happened in the last moments in reverse order, so that an end is reaped before the pipe
 * of the process is read; a signal to a pid that was reaped is noted in the file $STALE.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define MAX_PID 4194304
static char reaped[MAX_PID + 1];

static int is_among(const struct epoll_event *events, int count, const void *source)
{
  for (int i = 0; i < count; i++)
    if (events[i].data.ptr == source)
      return 1;
  return 0;
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
  int (*real)(int, struct epoll_event *, int, int) =
      (int (*)(int, struct epoll_event *, int, int))dlsym(RTLD_NEXT, "epoll_wait");
  int count = real(epoll, events, most, timeout);
  if (count <= 0)
    return count;
  /* The next event, if there is one, is there by then. */
  nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  int first = count;
  int later = real(epoll, events + first, most - first, 0);
  for (int i = first; i < first + later; i++)
    if (!is_among(events, count, events[i].data.ptr))
      events[count++] = events[i];
  for (int i = 0; i < count / 2; i++) {
    struct epoll_event event = events[i];
    events[i] = events[count - 1 - i];
    events[count - 1 - i] = event;
  }
  return count;
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
  pid_t (*real)(pid_t, int *, int, struct rusage *) =
      (pid_t (*)(pid_t, int *, int, struct rusage *))dlsym(RTLD_NEXT, "wait4");
  pid_t ended = real(pid, status, options, usage);
  if (ended > 0)
    reaped[ended] = 1;
  return ended;
}

pid_t fork(void)
{
  pid_t (*real)(void) = (pid_t (*)(void))dlsym(RTLD_NEXT, "fork");
  pid_t pid = real();
  if (pid > 0)
    reaped[pid] = 0;
  return pid;
}

int kill(pid_t pid, int number)
{
  int (*real)(pid_t, int) = (int (*)(pid_t, int))dlsym(RTLD_NEXT, "kill");
  if (pid > 0 && reaped[pid]) {
    int file = open(getenv("STALE"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    (void)!write(file, "x", 1);
    close(file);
  }
  return real(pid, number);
}
