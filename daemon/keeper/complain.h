#ifndef KEEPER_COMPLAIN_H
#define KEEPER_COMPLAIN_H

/* Writes one line to stderr: what failed, on what, and the text of errno. `subject` may be NULL. */
void complain(const char *what, const char *subject);

/* The same; then the keeper ends with status 1. */
_Noreturn void give_up(const char *what, const char *subject);

#endif
