/* Loaded before libc: a second passes between any two looks at the monotonic clock, as for who stands still again and again. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
  static time_t ahead;
  long result = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_MONOTONIC)
    now->tv_sec += ++ahead;
  return (int)result;
}
