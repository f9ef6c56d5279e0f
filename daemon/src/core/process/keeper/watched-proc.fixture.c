/* Preloaded: counts scans of /proc in the file $SCANS; with $HUNG set, an environment is never opened. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

DIR *opendir(const char *path)
{
  DIR *(*real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
  const char *scans = getenv("SCANS");
  int file = scans != NULL && strcmp(path, "/proc") == 0
                 ? (int)syscall(SYS_openat, AT_FDCWD, scans, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                 : -1;
  if (file >= 0) {
    (void)!write(file, "x", 1);
    close(file);
  }
  return real(path);
}

int open(const char *path, int flags, ...)
{
  va_list more;
  va_start(more, flags);
  int mode = va_arg(more, int);
  va_end(more);
  while (getenv("HUNG") != NULL && strstr(path, "/environ") != NULL)
    pause();
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
