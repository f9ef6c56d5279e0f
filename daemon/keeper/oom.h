#ifndef KEEPER_OOM_H
#define KEEPER_OOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

void oom_open(void);
/*
 * Sets the score for a lack of memory: the given one, else that of the keeper plus 200. Not done by the child: while it
 * shares the memory of the keeper, the system changes the score of both. The system refuses a lower score than that of
 * the keeper without a privilege, which is no failure.
 */
void oom_set_score(pid_t pid, bool given, int score);
/* Number of processes of this control group killed for memory so far; -1 where the system does not report it. */
int64_t oom_kills(void);
/* 0 no, 1 yes, 2 unknown. `before`: the count at the start; `candidate`: whether SIGKILL ended the process. */
uint8_t oom_killed(int64_t before, bool candidate);

#endif
