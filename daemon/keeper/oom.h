#ifndef KEEPER_OOM_H
#define KEEPER_OOM_H

#include <stdbool.h>
#include <stdint.h>

void oom_open(void);
/* Number of processes of this control group killed for memory so far; -1 where the system does not report it. */
int64_t oom_kills(void);
/* 0 no, 1 yes, 2 unknown. `before`: the count at the start; `candidate`: whether SIGKILL ended the process. */
uint8_t oom_killed(int64_t before, bool candidate);

#endif
