/*
 * Preloaded: the second read of the state of a process, unless that is a child, gives the state of init, as if the pid
 * were in use again; the start times differ. The pid of a child is its own until it is reaped. A signal to a single pid
 * that is no child is noted in the file $STRAY and not sent.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define MAX_PID 4194304
static char seen[MAX_PID + 1];

static int is_child(const char *path)
{
  char text[512];
  int parent = 0, file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  text[length > 0 ? length : 0] = '\0';
  const char *name_end = strrchr(text, ')');
  return name_end != NULL && sscanf(name_end + 1, " %*c %d", &parent) == 1 && parent == getpid();
}

int open(const char *path, int flags, ...)
{
  va_list more;
  va_start(more, flags);
  int mode = va_arg(more, int);
  va_end(more);
  int pid, length = 0;
  if (sscanf(path, "/proc/%d/stat%n", &pid, &length) == 1 && length > 0 && path[length] == '\0' && pid > 0 && pid <= MAX_PID) {
    if (seen[pid] && !is_child(path))
      path = "/proc/1/stat";
    seen[pid] = 1;
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int kill(pid_t pid, int number)
{
  int (*real)(pid_t, int) = (int (*)(pid_t, int))dlsym(RTLD_NEXT, "kill");
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (pid <= 0 || number == 0 || is_child(path))
    return real(pid, number);
  int file = (int)syscall(SYS_openat, AT_FDCWD, getenv("STRAY"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dprintf(file, "%d\n", pid);
  close(file);
  return 0;
}
