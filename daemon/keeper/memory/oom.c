#include "memory/oom.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory/score.h"

/* Between the keeper and what it starts, so that a lack of memory ends a command, not the keeper. */
#define SCORE_ADDED 500
#define SCORE_LOWERED 200

void oom_open(struct oom *oom)
{
  char path[3 * PATH_MAX];
  int score = score_own();
  oom->usual_score = score_within(score + SCORE_ADDED);
  score_set_own(score - SCORE_LOWERED);
  oom->counter = -1;
  if (cgroup_file(true, "memory.events", path))
    oom->counter = open(path, O_RDONLY | O_CLOEXEC);
  if (oom->counter < 0 && cgroup_file(false, "memory.oom_control", path))
    oom->counter = open(path, O_RDONLY | O_CLOEXEC);
  /* Afterwards, because the keeper may leave its group for one below. */
  command_groups_open(&oom->groups);
}

int64_t oom_kills(const struct oom *oom)
{
  return cgroup_kills(oom->counter);
}

void oom_mark_start(const struct oom *oom, struct oom_mark *mark)
{
  mark->before = oom_kills(oom);
  mark->attributed = oom->attributed;
}

void oom_mark_kill(struct oom_mark *mark, const char *program, int64_t now)
{
  mark->kills++;
  mark->killed_at = now;
  snprintf(mark->program, sizeof mark->program, "%s", program);
}

uint8_t oom_killed(const struct oom *oom, const struct oom_mark *mark, bool candidate, uint64_t max_rss)
{
  if (mark->kills > 0)
    return 1;
  int64_t of_group = mark->group == 0 ? -1 : command_group_kills(&oom->groups, mark->group);
  if (of_group >= 0)
    return of_group > 0;
  int64_t now = mark->before < 0 ? -1 : oom_kills(oom);
  if (now < 0)
    return 2;
  bool large = oom->limit > 0 && max_rss > (uint64_t)oom->limit / 2;
  return (candidate || large) && now - oom->attributed > mark->before - mark->attributed;
}
