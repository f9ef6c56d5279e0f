#include "base/proc-stat.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool read_proc_file(pid_t pid, const char *name, char *text, size_t size)
{
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
  if (file >= 0)
    close(file);
  text[length > 0 ? length : 0] = '\0';
  return length > 0;
}

static void copy_name(char name[PROGRAM_BYTES], const char *text, size_t length)
{
  size_t kept = length < PROGRAM_BYTES - 1 ? length : PROGRAM_BYTES - 1;
  for (size_t i = 0; i < kept; i++)
    name[i] = text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\' ? '?' : text[i];
  name[kept] = '\0';
}

void name_program(pid_t pid, struct proc_stat *stat)
{
  char path[48], target[PATH_MAX];
  /* Node names its first thread so, and the name of that thread is the name of the process. */
  if (strcmp(stat->program, "MainThread") != 0)
    return;
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length <= 0)
    return;
  target[length] = '\0';
  const char *last = strrchr(target, '/');
  if (last != NULL)
    copy_name(stat->program, last + 1, strlen(last + 1));
}

bool read_proc_stat(pid_t pid, struct proc_stat *stat)
{
  char text[1024];
  if (!read_proc_file(pid, "stat", text, sizeof text))
    return false;
  /* The name may contain blanks and parentheses; the fields begin after the last parenthesis. */
  const char *name = strchr(text, '('), *fields = strrchr(text, ')');
  unsigned long long start;
  long pages;
  if (name == NULL || fields == NULL || fields <= name ||
      sscanf(fields + 1,
             " %c %d %d %d %*s %*s %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %*s %ld", &stat->state,
             &stat->parent, &stat->group, &stat->session, &stat->flags, &start, &pages) != 7)
    return false;
  stat->start = start;
  stat->pages = pages;
  copy_name(stat->program, name + 1, (size_t)(fields - name - 1));
  return true;
}

bool is_zombie(const struct proc_stat *stat)
{
  return strchr("ZXx", stat->state) != NULL;
}
