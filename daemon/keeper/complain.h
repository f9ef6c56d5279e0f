#ifndef KEEPER_COMPLAIN_H
#define KEEPER_COMPLAIN_H

/* One line on stderr: what failed, on what, and errno's words. `subject` may be NULL. */
void complain(const char *what, const char *subject);

/* The same, and the keeper ends with status 1. */
_Noreturn void give_up(const char *what, const char *subject);

#endif
