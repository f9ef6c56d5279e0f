#ifndef KEEPER_STOP_H
#define KEEPER_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime-dir.h"

/* The directory whose socket is released when the keeper begins to end. */
void stop_open(const struct runtime_dir *served);
/* SIGTERM to every descendant, SIGKILL after the grace, then the keeper ends. */
void stop(uint32_t grace_ms);
bool is_stopping(void);
/* Whether the keeper may end; `is_idle`: all output was sent. Sets the ms until the next check. */
bool stopped(int64_t now, bool is_idle, int *wait);

#endif
