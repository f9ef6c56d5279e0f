/*
 * Loaded into a daemon: fails the n-th open, write, rename or fsync below FAIL_BELOW. FAIL_CONTROL is a file of four
 * int32: calls until the first that fails (0: none fails), errno, calls that fail in a row, calls that have failed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
  int32_t until, error, row, failed;
} *control;
static const char *below;

__attribute__((constructor)) static void begin(void)
{
  const char *path = getenv("FAIL_CONTROL");
  below = getenv("FAIL_BELOW");
  if (path == NULL || below == NULL)
    return;
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return;
  void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED)
    control = mapped;
}

/* Counts a call on the path. Sets errno where it has to fail. */
static bool fails(const char *path, bool writes)
{
  /* A full disk refuses no reader. */
  if (control != NULL && !writes && control->error == ENOSPC)
    return false;
  if (control == NULL || path == NULL || strncmp(path, below, strlen(below)) != 0)
    return false;
  int32_t until = __atomic_load_n(&control->until, __ATOMIC_SEQ_CST);
  do {
    if (until == 0)
      return false;
  } while (until > 1 && !__atomic_compare_exchange_n(&control->until, &until, until - 1, false, __ATOMIC_SEQ_CST,
                                                     __ATOMIC_SEQ_CST));
  if (until > 1)
    return false;
  if (__atomic_sub_fetch(&control->row, 1, __ATOMIC_SEQ_CST) <= 0)
    __atomic_store_n(&control->until, 0, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  errno = control->error;
  return true;
}

static bool fails_on(int fd)
{
  if (control == NULL || __atomic_load_n(&control->until, __ATOMIC_SEQ_CST) == 0)
    return false;
  char link[64], path[4096] = {0};
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return readlink(link, path, sizeof path - 1) > 0 && fails(path, true);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                                                                     \
  int name(const char *path, int flags, ...)                                                                           \
  {                                                                                                                    \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                          \
    va_end(rest);                                                                                                      \
    return fails(path, (flags & O_CREAT) != 0) ? -1 : REAL(name)(path, flags, mode);                                                           \
  }
OPEN(open)
OPEN(open64)

#define OF_DESCRIPTOR(type, name, parameters, ...)                                                                     \
  type name parameters                                                                                                 \
  {                                                                                                                    \
    return fails_on(fd) ? -1 : REAL(name)(__VA_ARGS__);                                                                \
  }
OF_DESCRIPTOR(ssize_t, write, (int fd, const void *bytes, size_t length), fd, bytes, length)
OF_DESCRIPTOR(ssize_t, pwrite, (int fd, const void *bytes, size_t length, off_t at), fd, bytes, length, at)
OF_DESCRIPTOR(ssize_t, pwrite64, (int fd, const void *bytes, size_t length, off64_t at), fd, bytes, length, at)
OF_DESCRIPTOR(ssize_t, writev, (int fd, const struct iovec *parts, int count), fd, parts, count)
OF_DESCRIPTOR(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at), fd, parts, count, at)
OF_DESCRIPTOR(ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), fd, parts, count, at)
OF_DESCRIPTOR(int, fsync, (int fd), fd)
OF_DESCRIPTOR(int, fdatasync, (int fd), fd)

int rename(const char *from, const char *to)
{
  return fails(from, true) ? -1 : REAL(rename)(from, to);
}
