#include "stop.h"

#include <signal.h>
#include <stdlib.h>

#include "clock.h"
#include "find-and-signal.h"
#include "finder.h"
#include "process.h"

/* ms after SIGKILL when the keeper ends although processes are left. */
#define LAST_MS 3000
#define STOPPING_LOOK_MS 10

enum life { SERVING, STOPPING, KILLING };

static enum life life = SERVING;
static int64_t next_stage_at;
static const struct runtime_dir *dir;

void stop_open(const struct runtime_dir *served)
{
  dir = served;
}

bool is_stopping(void)
{
  return life != SERVING;
}

static void kill_all(void)
{
  life = KILLING;
  next_stage_at = monotonic_ms() + LAST_MS;
  find_and_signal_all(SIGKILL);
}

void stop(uint32_t grace_ms)
{
  int64_t kill_at = monotonic_ms() + grace_ms;
  if (life == KILLING || (life == STOPPING && kill_at >= next_stage_at))
    return;
  /* A daemon that connects from now on starts another keeper, which waits until this one has ended. */
  runtime_dir_leave(dir);
  if (grace_ms == 0) {
    kill_all();
    return;
  }
  next_stage_at = kill_at;
  if (life == STOPPING)
    return;
  life = STOPPING;
  find_and_signal_all(SIGTERM);
}

static bool nothing_lives(void)
{
  struct survey survey = survey_descendants();
  bool none = true;
  for (size_t i = 0; i < survey.count && none; i++)
    none = !survey.items[i].member;
  free(survey.items);
  return none && live_count() == 0;
}

bool stopped(int64_t now, bool is_idle, int *wait)
{
  *wait = STOPPING_LOOK_MS;
  if (nothing_lives() && is_idle)
    return true;
  if (now < next_stage_at)
    return false;
  if (life == STOPPING)
    kill_all();
  else
    return true;
  return false;
}
