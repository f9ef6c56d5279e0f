#include "oom.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int counter = -1;

/* Version 2 first; of version 1 the line of the memory controller. */
void oom_open(void)
{
  FILE *groups = fopen("/proc/self/cgroup", "re");
  if (groups == NULL)
    return;
  char line[PATH_MAX];
  while (counter < 0 && fgets(line, sizeof line, groups) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char path[PATH_MAX + 64];
    const char *memory = strstr(line, ":memory:");
    if (strncmp(line, "0::", 3) == 0)
      snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.events", line + 3);
    else if (memory != NULL)
      snprintf(path, sizeof path, "/sys/fs/cgroup/memory%s/memory.oom_control", memory + 8);
    else
      continue;
    counter = open(path, O_RDONLY | O_CLOEXEC);
  }
  fclose(groups);
}

int64_t oom_kills(void)
{
  char text[1024];
  ssize_t length = counter < 0 ? -1 : pread(counter, text, sizeof text - 1, 0);
  if (length <= 0)
    return -1;
  text[length] = '\0';
  const char *at = strstr(text, "oom_kill ");
  return at == NULL ? -1 : strtoll(at + strlen("oom_kill "), NULL, 10);
}

uint8_t oom_killed(int64_t before, bool candidate)
{
  if (before < 0)
    return 2;
  return candidate && oom_kills() > before;
}
