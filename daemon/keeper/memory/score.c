#include "memory/score.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

#define MIN_SCORE (-1000)
#define MAX_SCORE 1000
#define OWN_SCORE "/proc/self/oom_score_adj"
/* Processes of a program that are looked for. */
#define FAMILY_MAX 1024
/*
 * ms after which a program is looked at again: a fork that was under way when its score was set copied the old score,
 * and is in no list before it has ended, which takes long where many processes run.
 */
static const int64_t look_after[SCORE_LOOKS] = {5, 20, 100, 1000};

struct young {
  struct young *next;
  pid_t pid;
  int score;
  int64_t begun_at;
};

static int score_in(const char *path)
{
  char text[16] = {0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, text, sizeof text - 1) < 0)
    text[0] = '\0';
  if (file >= 0)
    close(file);
  return (int)strtol(text, NULL, 10);
}

int score_own(void)
{
  return score_in(OWN_SCORE);
}

int score_within(int score)
{
  return score < MIN_SCORE ? MIN_SCORE : score > MAX_SCORE ? MAX_SCORE : score;
}

static void set_score(const char *path, int score)
{
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  dprintf(file, "%d", score_within(score));
  close(file);
}

void score_set_own(int score)
{
  set_score(OWN_SCORE, score);
}

/* Adds the children of one thread. */
static void add_children(const char *path, pid_t *family, size_t *count)
{
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return;
  while (*count < FAMILY_MAX && fscanf(file, "%d", &family[*count]) == 1)
    (*count)++;
  fclose(file);
}

static void add_children_of(pid_t pid, pid_t *family, size_t *count)
{
  char path[320];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *threads = opendir(path);
  if (threads == NULL)
    return;
  for (const struct dirent *thread; (thread = readdir(threads)) != NULL;) {
    if (thread->d_name[0] == '.')
      continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/children", pid, thread->d_name);
    add_children(path, family, count);
  }
  closedir(threads);
}

/*
 * Sets the scores of those that have inherited that of the keeper: a program may have set another. A parent gets its
 * score before its children are looked for, so that those it forks later inherit it.
 */
static void set_scores_from(pid_t pid, int score)
{
  pid_t family[FAMILY_MAX] = {pid};
  int inherited = score_own();
  size_t count = 1;
  for (size_t at = 0; at < count; at++) {
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", family[at]);
    if (score_in(path) == inherited)
      set_score(path, score);
    add_children_of(family[at], family, &count);
  }
}

static void append(struct young_list *list, struct young *young)
{
  young->next = NULL;
  if (list->first == NULL)
    list->first = young;
  else
    list->last->next = young;
  list->last = young;
}

void score_begun(struct scores *scores, pid_t pid, int score)
{
  set_scores_from(pid, score);
  struct young *young = malloc(sizeof *young);
  if (young == NULL)
    return;
  *young = (struct young){.pid = pid, .score = score, .begun_at = monotonic_ms()};
  append(&scores->lists[0], young);
}

static bool forget(struct young_list *list, pid_t pid)
{
  struct young *before = NULL;
  for (struct young *young = list->first; young != NULL; before = young, young = young->next) {
    if (young->pid != pid)
      continue;
    if (before == NULL)
      list->first = young->next;
    else
      before->next = young->next;
    if (list->last == young)
      list->last = before;
    free(young);
    return true;
  }
  return false;
}

void score_reaped(struct scores *scores, pid_t pid)
{
  for (int i = 0; i < SCORE_LOOKS; i++)
    if (forget(&scores->lists[i], pid))
      return;
}

int scores_due(struct scores *scores, int64_t now)
{
  int64_t wait = -1;
  for (int i = 0; i < SCORE_LOOKS; i++) {
    struct young_list *list = &scores->lists[i];
    for (struct young *young; (young = list->first) != NULL;) {
      int64_t left = young->begun_at + look_after[i] - now;
      if (left > 0) {
        wait = wait < 0 || left < wait ? left : wait;
        break;
      }
      list->first = young->next;
      set_scores_from(young->pid, young->score);
      if (i + 1 < SCORE_LOOKS)
        append(&scores->lists[i + 1], young);
      else
        free(young);
    }
  }
  return (int)wait;
}
