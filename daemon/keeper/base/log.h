#ifndef KEEPER_LOG_H
#define KEEPER_LOG_H

#include <stdint.h>

/* Writes one line to stderr: what failed, on what, and the text of errno. `subject` may be NULL. */
void log_error(const char *what, const char *subject);
/* The same; then the keeper ends with status 1. */
_Noreturn void log_fatal(const char *what, const char *subject);
/* Calls of `log_error` so far. */
uint64_t log_count(void);
/* Opens `keeper.log` of the directory, which begins again once it is long. -1 if it cannot be opened. */
int log_open(const char *directory);

#endif
