#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* So that what fails again and again does not fill the disk with its log. */
#define MAX_LINES 10000u
#define MAX_LOG_BYTES (1024 * 1024)

/* Of the program, as stderr is. */
static uint64_t lines;

void log_error(const char *what, const char *subject)
{
  const char *reason = strerror(errno);
  if (lines++ >= MAX_LINES)
    return;
  if (subject == NULL)
    fprintf(stderr, "keeper: %s: %s\n", what, reason);
  else
    fprintf(stderr, "keeper: %s %s: %s\n", what, subject, reason);
}

void log_fatal(const char *what, const char *subject)
{
  log_error(what, subject);
  exit(1);
}

uint64_t log_count(void)
{
  return lines;
}

int log_open(const char *directory)
{
  char path[PATH_MAX];
  struct stat log;
  if (snprintf(path, sizeof path, "%s/keeper.log", directory) >= (int)sizeof path)
    return -1;
  bool is_long = stat(path, &log) == 0 && log.st_size > MAX_LOG_BYTES;
  return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (is_long ? O_TRUNC : 0), 0600);
}
