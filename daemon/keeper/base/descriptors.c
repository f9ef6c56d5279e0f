#include "base/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

void close_all(int *descriptors, int count)
{
  int error = errno;
  for (int i = 0; i < count; i++) {
    if (descriptors[i] >= 0)
      close(descriptors[i]);
    descriptors[i] = -1;
  }
  errno = error;
}

static void close_one_by_one(int first)
{
  DIR *own = opendir("/proc/self/fd");
  if (own == NULL)
    return;
  for (struct dirent *entry; (entry = readdir(own)) != NULL;) {
    int fd = (int)strtol(entry->d_name, NULL, 10);
    if (fd >= first && fd != dirfd(own))
      close(fd);
  }
  closedir(own);
}

void close_from(int first)
{
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
    return;
#endif
  close_one_by_one(first);
}

void arrange_descriptors(void)
{
  int null;
  while ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0 && null < LAST_OCCUPIED)
    continue;
  if (null < 0)
    log_fatal("open", "/dev/null");
  if (null != LAST_OCCUPIED && dup3(null, LAST_OCCUPIED, O_CLOEXEC) < 0)
    log_fatal("dup3", NULL);
  close_from(LAST_OCCUPIED + 1);
}
