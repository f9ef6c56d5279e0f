#include "end/stop.h"

#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"

/* ms after SIGKILL when the keeper ends although processes are left. */
#define LAST_MS 3000
#define STOPPING_LOOK_MS 10

bool is_stopping(const struct stop *stop)
{
  return stop->life != SERVING;
}

static void kill_all(struct stop *stop)
{
  stop->life = KILLING;
  stop->next_stage_at = monotonic_ms() + LAST_MS;
  find_and_signal_all(stop->searches, SIGKILL);
}

void begin_to_stop(struct stop *stop, uint32_t grace_ms)
{
  int64_t kill_at = monotonic_ms() + grace_ms;
  if (stop->life == KILLING || (stop->life == STOPPING && kill_at >= stop->next_stage_at))
    return;
  /* A daemon that connects from now on starts another keeper, which waits until this one has ended. */
  runtime_dir_leave(stop->dir);
  if (grace_ms == 0) {
    kill_all(stop);
    return;
  }
  stop->next_stage_at = kill_at;
  if (stop->life == STOPPING)
    return;
  stop->life = STOPPING;
  find_and_signal_all(stop->searches, SIGTERM);
}

static bool nothing_lives(const struct finder *finder)
{
  struct survey survey = survey_descendants(finder);
  bool none = true;
  for (size_t i = 0; i < survey.count && none; i++)
    none = !survey.items[i].member;
  free(survey.items);
  return none && live_count(finder->processes) == 0;
}

bool stopped(struct stop *stop, int64_t now, bool is_idle, int *wait)
{
  *wait = STOPPING_LOOK_MS;
  if (nothing_lives(stop->searches->finder) && is_idle)
    return true;
  if (now < stop->next_stage_at)
    return false;
  if (stop->life == STOPPING)
    kill_all(stop);
  else
    return true;
  return false;
}
