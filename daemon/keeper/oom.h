#ifndef KEEPER_OOM_H
#define KEEPER_OOM_H

#include <stdbool.h>
#include <stdint.h>

void oom_open(void);
/* Processes of this control group that were killed for memory so far; -1 where the system does not say. */
int64_t oom_kills(void);
/* 0 no, 1 yes, 2 cannot be told: `before` is the count at the start, `candidate` whether it ended as such a process does. */
uint8_t oom_killed(int64_t before, bool candidate);

#endif
