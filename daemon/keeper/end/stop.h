#ifndef KEEPER_STOP_H
#define KEEPER_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/runtime-dir.h"
#include "finder/find-and-signal.h"

enum life { SERVING, STOPPING, KILLING };

/* How the keeper ends. */
struct stop {
  /* Its socket is released when the keeper begins to end. */
  const struct runtime_dir *dir;
  struct searches *searches;
  enum life life;
  int64_t next_stage_at;
};

/* SIGTERM to every descendant, SIGKILL after the grace, then the keeper ends. */
void begin_to_stop(struct stop *stop, uint32_t grace_ms);
bool is_stopping(const struct stop *stop);
/* Whether the keeper may end; `is_idle`: all output was sent. Sets the ms until the next check. */
bool stopped(struct stop *stop, int64_t now, bool is_idle, int *wait);

#endif
