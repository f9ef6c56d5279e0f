/* Preloaded: the wall clock is ahead by the milliseconds in the file WALL_CLOCK_FILE, 8 bytes that a test changes while
   the program runs; other clocks are unchanged. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *ahead;

__attribute__((constructor)) static void find_file(void)
{
  const char *path = getenv("WALL_CLOCK_FILE");
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0)
    return;
  void *mapped = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED)
    ahead = mapped;
}

static void shift(struct timespec *now)
{
  if (!ahead)
    return;
  int64_t shifted = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec + *ahead * 1000000;
  now->tv_sec = shifted / 1000000000;
  now->tv_nsec = shifted % 1000000000;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
  long result = syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    shift(now);
  return (int)result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
  (void)zone;
  struct timespec time;
  int result = clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return result;
}

time_t time(time_t *now)
{
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  if (now)
    *now = time.tv_sec;
  return time.tv_sec;
}
