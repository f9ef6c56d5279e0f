#include "finder/finder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/proc-stat.h"

#define KTHREADD 2

bool process_stat(pid_t pid, struct found *found)
{
  struct proc_stat stat;
  if (!read_proc_stat(pid, &stat) || is_zombie(&stat))
    return false;
  *found = (struct found){
      .pid = pid, .parent = stat.parent, .group = stat.group, .session = stat.session, .start = stat.start};
  return true;
}

static bool append(struct survey *list, struct found found)
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

static struct found *in_survey(const struct survey *list, pid_t pid)
{
  struct found key = {.pid = pid};
  return list->count == 0 ? NULL : bsearch(&key, list->items, list->count, sizeof key, by_pid);
}

static struct survey scan(const struct finder *finder)
{
  struct survey list = {0};
  struct found client;
  pid_t own = getpid(), own_group = getpgrp();
  pid_t excluded_group = finder->excluded > 0 && process_stat(finder->excluded, &client) ? client.group : 0;
  DIR *proc = opendir("/proc");
  if (proc == NULL) {
    log_error("opendir", "/proc");
    return list;
  }
  for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
    struct found found;
    pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (pid <= 1 || pid == own || pid == finder->excluded)
      continue;
    if (!process_stat(pid, &found)) {
      list.ended += (uint64_t)pid * (uint64_t)pid;
      continue;
    }
    bool is_group = found.group == own_group || (excluded_group > 0 && found.group == excluded_group);
    /* A child leaves the group of the keeper some time after it was cloned. */
    if (is_group && process_by_pid(finder->processes, pid) == NULL)
      continue;
    if (!append(&list, found))
      break;
  }
  closedir(proc);
  qsort(list.items, list.count, sizeof *list.items, by_pid);
  return list;
}

static void add_descendants(struct survey *list)
{
  bool grows = true;
  while (grows) {
    grows = false;
    for (size_t i = 0; i < list->count; i++) {
      struct found *found = &list->items[i];
      const struct found *parent = found->member ? NULL : in_survey(list, found->parent);
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

static bool leads(const struct survey *list, const struct target *target)
{
  return target->running || in_survey(list, target->pid) == NULL;
}

/* The session and the groups of a target that ended may by now be those of a later process with the same pid. */
static bool is_claimed(const struct target *targets, size_t count, const struct found *found)
{
  for (size_t i = 0; i < count; i++)
    if (targets[i].ended_leads && (found->session == targets[i].pid || found->group == targets[i].pid))
      return true;
  return false;
}

struct survey survey_targets(const struct finder *finder, struct target *targets, size_t count)
{
  struct survey list = scan(finder);
  for (size_t i = 0; i < count; i++) {
    bool led = targets[i].pid > 1 && leads(&list, &targets[i]);
    targets[i].owned = led && targets[i].running;
    targets[i].ended_leads = led && !targets[i].running;
  }
  for (size_t i = 0; i < list.count; i++) {
    struct found *found = &list.items[i];
    found->member = owns_group(targets, count, found->session) || owns_group(targets, count, found->group) ||
                    owns_group(targets, count, found->pid);
    found->claimed = !found->member && is_claimed(targets, count, found);
  }
  add_descendants(&list);
  return list;
}

static bool is_of(const struct target *targets, size_t count, const char *id)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(id, targets[i].id) == 0)
      return true;
  return false;
}

/* What it forks inherits its mark, also what it hands over: session and descent lead to these processes. */
static bool is_forker(const struct finder *finder, const char *id)
{
  const struct process *process = process_by_id(finder->processes, id);
  if (process != NULL)
    return process->forks;
  for (process = finder->processes->all; process != NULL; process = process->next)
    if (strcmp(process->forker, id) == 0)
      return true;
  return false;
}

/* A group that holds a process with another mark is not signalled as a whole. */
static void disown(struct target *targets, size_t count, const struct found *found)
{
  for (size_t i = 0; i < count; i++)
    if (targets[i].pid == found->session || targets[i].pid == found->group)
      targets[i].ended_leads = false;
}

void survey_apply(const struct finder *finder, struct survey *list, struct target *targets, size_t count,
                  const struct mark *marks, size_t mark_count)
{
  list->settled = true;
  for (size_t i = 0; i < mark_count; i++) {
    struct found *found = in_survey(list, marks[i].pid);
    if (found == NULL || found->member)
      continue;
    if (marks[i].unsettled) {
      list->settled = list->settled && found->parent == KTHREADD;
    } else if (is_forker(finder, marks[i].id)) {
      continue;
    } else if (is_of(targets, count, marks[i].id)) {
      found->member = true;
    } else if (found->claimed) {
      found->claimed = false;
      disown(targets, count, found);
    }
  }
  for (size_t i = 0; i < list->count; i++)
    list->items[i].member = list->items[i].member || list->items[i].claimed;
  for (size_t i = 0; i < count; i++)
    targets[i].owned = targets[i].owned || targets[i].ended_leads;
  add_descendants(list);
}

struct survey survey_descendants(const struct finder *finder)
{
  struct survey list = scan(finder);
  for (size_t i = 0; i < list.count; i++)
    list.items[i].member = list.items[i].parent == getpid();
  add_descendants(&list);
  list.settled = true;
  return list;
}

struct process *survey_owner(const struct finder *finder, const struct survey *survey, const struct found *found)
{
  /* Each has another parent; a survey that is not of one moment may have a loop. */
  for (size_t i = 0; found != NULL && i < survey->count; i++) {
    struct process *process = process_by_pid(finder->processes, found->pid);
    if (process == NULL)
      process = process_by_pid(finder->processes, found->session);
    if (process != NULL)
      return process;
    found = in_survey(survey, found->parent);
  }
  return NULL;
}
