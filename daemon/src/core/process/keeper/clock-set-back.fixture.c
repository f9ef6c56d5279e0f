/* Preloaded: each reading of the wall clock is an hour earlier than the one before; other clocks are unchanged. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
  static time_t behind;
  long result = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME) {
    now->tv_sec -= behind;
    behind += 3600;
  }
  return (int)result;
}
