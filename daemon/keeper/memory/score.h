#ifndef KEEPER_SCORE_H
#define KEEPER_SCORE_H

#include <stdint.h>
#include <sys/types.h>

struct young;

/* The oldest first. */
struct young_list {
  struct young *first;
  struct young *last;
};

#define SCORE_LOOKS 4

/* Programs that began a moment ago, by the look that is next. */
struct scores {
  struct young_list lists[SCORE_LOOKS];
};

/* The oom_score_adj of the keeper. */
int score_own(void);
void score_set_own(int score);
/* The nearest score that the system takes. */
int score_within(int score);
/*
 * Sets the score of a program that has begun, of what it has forked, and again within a second of what it was forking
 * then. Not done by the child: while it shares the memory of the keeper, the system changes the score of both. The system
 * refuses a lower score than that of the keeper without a privilege, which is not a failure.
 */
void score_begun(struct scores *scores, pid_t pid, int score);
/* The process was reaped: its pid may be that of another one. */
void score_reaped(struct scores *scores, pid_t pid);
/* Looks for what was being forked. Returns the ms until the next look, -1 if none is left. */
int scores_due(struct scores *scores, int64_t now);

#endif
