#include "finder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "complain.h"
#include "mark.h"

/* A process is young for this many clock ticks, which are 10 ms on every Linux. */
#define YOUNG_TICKS 200u
#define KTHREADD 2

static pid_t excluded;

struct list {
  struct found *items;
  size_t count;
  size_t capacity;
};

void finder_exclude(pid_t pid)
{
  excluded = pid;
}

bool process_stat(pid_t pid, struct found *found)
{
  char path[32], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0)
    return false;
  text[length] = '\0';
  /* The name may contain blanks and parentheses; the fields begin after the last parenthesis. */
  const char *fields = strrchr(text, ')');
  char state;
  int parent, group, session;
  unsigned long long start;
  if (fields == NULL || sscanf(fields + 1,
                               " %c %d %d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &state,
                               &parent, &group, &session, &start) != 5)
    return false;
  if (strchr("ZXx", state) != NULL)
    return false;
  *found = (struct found){.pid = pid, .parent = parent, .group = group, .session = session, .start = start};
  return true;
}

static bool append(struct list *list, struct found found)
{
  if (list->count == list->capacity) {
    size_t capacity = list->capacity == 0 ? 256 : list->capacity * 2;
    struct found *items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL)
      return false;
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = found;
  return true;
}

static int by_pid(const void *a, const void *b)
{
  pid_t left = ((const struct found *)a)->pid, right = ((const struct found *)b)->pid;
  return (left > right) - (left < right);
}

static struct found *in_list(const struct list *list, pid_t pid)
{
  struct found key = {.pid = pid};
  return list->count == 0 ? NULL : bsearch(&key, list->items, list->count, sizeof key, by_pid);
}

/* All living processes that may be signalled, sorted by pid. */
static struct list scan(void)
{
  struct list list = {0};
  struct found client;
  pid_t own = getpid(), own_group = getpgrp();
  pid_t excluded_group = excluded > 0 && process_stat(excluded, &client) ? client.group : 0;
  DIR *proc = opendir("/proc");
  if (proc == NULL) {
    complain("opendir", "/proc");
    return list;
  }
  for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
    struct found found;
    pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (pid <= 1 || pid == own || pid == excluded || !process_stat(pid, &found))
      continue;
    if (found.group == own_group || (excluded_group > 0 && found.group == excluded_group))
      continue;
    if (!append(&list, found))
      break;
  }
  closedir(proc);
  qsort(list.items, list.count, sizeof *list.items, by_pid);
  return list;
}

static void add_descendants(struct list *list)
{
  bool grows = true;
  while (grows) {
    grows = false;
    for (size_t i = 0; i < list->count; i++) {
      struct found *found = &list->items[i];
      const struct found *parent = found->member ? NULL : in_list(list, found->parent);
      if (parent == NULL || !parent->member)
        continue;
      found->member = true;
      grows = true;
    }
  }
}

bool owns_group(const struct target *targets, size_t count, pid_t group)
{
  for (size_t i = 0; i < count; i++)
    if (targets[i].owned && targets[i].pid == group)
      return true;
  return false;
}

static void add_groups(struct list *list, struct target *targets, size_t count)
{
  for (size_t i = 0; i < count; i++)
    targets[i].owned = targets[i].pid > 1 && (targets[i].running || in_list(list, targets[i].pid) == NULL);
  for (size_t i = 0; i < list->count; i++) {
    struct found *found = &list->items[i];
    found->member = owns_group(targets, count, found->session) || owns_group(targets, count, found->group) ||
                    owns_group(targets, count, found->pid);
  }
}

static bool is_mark(const char *mark, const struct target *targets, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(mark, targets[i].id) == 0)
      return true;
  return false;
}

static bool account_came_before(const struct target *targets, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (targets[i].account.given && targets[i].account.uid == targets[index].account.uid)
      return true;
  return false;
}

static void add_marked(struct list *list, const struct target *targets, size_t count)
{
  struct unreadable unreadable = {0};
  for (size_t i = 0; i < list->count; i++) {
    struct found *found = &list->items[i];
    char mark[MAX_ID + 1];
    if (found->member)
      continue;
    switch (read_mark(found->pid, mark)) {
    case MARKED:
      found->member = is_mark(mark, targets, count);
      break;
    case EMPTY_ENVIRONMENT:
      found->unnamed = true;
      break;
    case NO_PERMISSION:
      unreadable_add(&unreadable, found->pid);
      break;
    case UNMARKED:
      break;
    }
  }
  for (size_t i = 0; i < count && unreadable.count > 0; i++) {
    if (!targets[i].account.given || account_came_before(targets, i))
      continue;
    struct marked_pid *marked;
    size_t found = read_marks_as(&targets[i].account, &unreadable, &marked);
    for (size_t j = 0; j < found; j++) {
      struct found *process = in_list(list, marked[j].pid);
      if (process != NULL && is_mark(marked[j].mark, targets, count))
        process->member = true;
    }
    free(marked);
  }
  free(unreadable.pids);
}

static bool is_settled(const struct list *list)
{
  struct timespec up = {0};
  clock_gettime(CLOCK_BOOTTIME, &up);
  uint64_t ticks = (uint64_t)up.tv_sec * 100 + (uint64_t)up.tv_nsec / 10000000;
  for (size_t i = 0; i < list->count; i++) {
    const struct found *found = &list->items[i];
    if (found->unnamed && !found->member && found->parent != KTHREADD && found->start + YOUNG_TICKS >= ticks)
      return false;
  }
  return true;
}

static struct findings members_of(struct list *list, bool settled)
{
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].member)
      list->items[kept++] = list->items[i];
  return (struct findings){.processes = list->items, .count = kept, .settled = settled};
}

struct findings find_processes(struct target *targets, size_t count)
{
  struct list list = scan();
  add_groups(&list, targets, count);
  add_descendants(&list);
  add_marked(&list, targets, count);
  add_descendants(&list);
  return members_of(&list, is_settled(&list));
}

struct findings find_descendants(void)
{
  struct list list = scan();
  for (size_t i = 0; i < list.count; i++)
    list.items[i].member = list.items[i].parent == getpid();
  add_descendants(&list);
  return members_of(&list, true);
}
