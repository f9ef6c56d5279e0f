#ifndef KEEPER_LOOP_H
#define KEEPER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* Something that is waited for. Stands first in what it belongs to. `fd` is -1 once it is let go. */
struct source {
  int fd;
  void (*ready)(struct source *source, uint32_t events);
};

void loop_open(void);
/* False, with errno, where the system refuses. */
bool loop_add(struct source *source, uint32_t events);
void loop_change(struct source *source, uint32_t events);
/* Takes it out and closes it, in this order: a descriptor that lives on elsewhere would go on to fire. */
void loop_close(struct source *source);
/* Waits at most `timeout` ms (-1: for ever) and calls whoever is ready. */
void loop_turn(int timeout);

#endif
