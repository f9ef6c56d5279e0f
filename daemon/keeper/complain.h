#ifndef KEEPER_COMPLAIN_H
#define KEEPER_COMPLAIN_H

#include <stdint.h>

/* Writes one line to stderr: what failed, on what, and the text of errno. `subject` may be NULL. */
void complain(const char *what, const char *subject);
/* The same; then the keeper ends with status 1. */
_Noreturn void give_up(const char *what, const char *subject);
/* Calls of `complain` so far. */
uint64_t complaints(void);
/* Opens `keeper.log` of the directory, which begins again once it is long. -1 if it cannot be opened. */
int complaint_log_open(const char *directory);

#endif
