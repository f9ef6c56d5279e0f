/*
 * Loaded into a daemon: kills it by SIGKILL before or after one of its writes. KILL_AT names the write: `owners` or
 * `commands.ndjson` (a part of a path), `tcp`, or the type of a frame to the keeper. KILL_WHEN is `before` or `after`.
 * It waits for the file KILL_ARMED, and writes `x` there as it kills.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *setting(const char *name)
{
  const char *value = getenv(name);
  return value == NULL ? "" : value;
}

static bool is_it(int fd, const void *bytes, size_t length)
{
  const char *at = setting("KILL_AT");
  if (access(setting("KILL_ARMED"), F_OK) < 0)
    return false;
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
    if (address.ss_family != AF_UNIX)
      return strcmp(at, "tcp") == 0;
    return length > 4 && atoi(at) == ((const unsigned char *)bytes)[4];
  }
  char link[64], path[4096] = {0};
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return atoi(at) == 0 && readlink(link, path, sizeof path - 1) > 0 && strstr(path, at) != NULL;
}

static void die(void)
{
  int armed = open(setting("KILL_ARMED"), O_WRONLY);
  ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  real(armed, "x", 1);
  kill(getpid(), SIGKILL);
  for (;;)
    pause();
}

static bool begin(int fd, const void *bytes, size_t length)
{
  bool due = is_it(fd, bytes, length);
  if (due && strcmp(setting("KILL_WHEN"), "before") == 0)
    die();
  return due;
}

#define ANSWER(due, result)                                                                                            \
  do {                                                                                                                 \
    ssize_t answer = result;                                                                                           \
    if (due && answer > 0)                                                                                             \
      die();                                                                                                           \
    return answer;                                                                                                     \
  } while (0)

ssize_t write(int fd, const void *bytes, size_t length)
{
  ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  bool due = begin(fd, bytes, length);
  ANSWER(due, real(fd, bytes, length));
}

/* A journal writes its lines at an offset. The zeros with which it keeps room for more are no line. */
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset)
{
  ssize_t (*real)(int, const void *, size_t, off64_t) =
      (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  bool due = length > 0 && *(const char *)bytes != '\0' && begin(fd, bytes, length);
  ANSWER(due, real(fd, bytes, length, offset));
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
  ssize_t (*real)(int, const struct iovec *, int) =
      (ssize_t (*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
  bool due = begin(fd, count > 0 ? parts[0].iov_base : NULL, count > 0 ? parts[0].iov_len : 0);
  ANSWER(due, real(fd, parts, count));
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
  ssize_t (*real)(int, const struct msghdr *, int) =
      (ssize_t (*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
  const struct iovec *parts = message->msg_iov;
  bool due = begin(fd, message->msg_iovlen > 0 ? parts[0].iov_base : NULL, message->msg_iovlen > 0 ? parts[0].iov_len : 0);
  ANSWER(due, real(fd, message, flags));
}
