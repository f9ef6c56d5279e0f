/*
 * Preloaded: each wait for events begins late, as on a busy machine, so that what the client has caused with the last
 * announcement is there before it.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <time.h>

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
  int (*real)(int, struct epoll_event *, int, int) =
      (int (*)(int, struct epoll_event *, int, int))dlsym(RTLD_NEXT, "epoll_wait");
  nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  return real(epoll, events, most, timeout);
}
