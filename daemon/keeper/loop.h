#ifndef KEEPER_LOOP_H
#define KEEPER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* A descriptor that the loop waits for. First member of the struct that owns it. `fd` is -1 once it is closed. */
struct source {
  int fd;
  void (*ready)(struct source *source, uint32_t events);
};

void loop_open(void);
/* False, with errno, where the system refuses. */
bool loop_add(struct source *source, uint32_t events);
void loop_change(struct source *source, uint32_t events);
/* No event of it is reported until it is added again; a hang-up would be reported even where no event is wanted. */
void loop_remove(const struct source *source);
/* Removes and closes it, in this order: a descriptor that is open elsewhere too would still cause events. */
void loop_close(struct source *source);
/* Waits at most `timeout` ms (-1: without a limit) and calls `ready` of each source that has events. */
void loop_turn(int timeout);

#endif
