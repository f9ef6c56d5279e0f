#include "output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *output_directory = ".";

void output_open(const char *directory)
{
  output_directory = directory;
}

static void path_of(char path[PATH_MAX], const char *id, const char *kind, uint64_t number)
{
  snprintf(path, PATH_MAX, "%s/%s.%s.%" PRIu64, output_directory, id, kind, number);
}

int output_file_open(const char *id, const char *kind, uint64_t number, int flags)
{
  char path[PATH_MAX];
  path_of(path, id, kind, number);
  int file = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
  /* A cleaner of temporary directories may have removed it. */
  if (file < 0 && errno == ENOENT && flags & O_CREAT && mkdir(output_directory, 0700) == 0)
    file = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
  return file;
}

void output_file_discard(const char *id, const char *kind, uint64_t number)
{
  char path[PATH_MAX];
  path_of(path, id, kind, number);
  unlink(path);
}
