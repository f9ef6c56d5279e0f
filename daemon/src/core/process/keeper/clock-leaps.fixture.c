/* Preloaded: each reading of CLOCK_MONOTONIC is a second later than the one before, as after a suspension. */
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
