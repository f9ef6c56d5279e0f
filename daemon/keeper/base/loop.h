#ifndef KEEPER_LOOP_H
#define KEEPER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* Waits for descriptors, and frees memory that an event of the current turn may still point at. */
struct loop {
  int fd;
  void **removed;
};

/* A descriptor that the loop waits for. First member of the struct that owns it. `fd` is -1 once it is closed. */
struct source {
  int fd;
  void (*ready)(struct source *source, uint32_t events);
  /* NULL until it is added. */
  struct loop *loop;
};

void loop_open(struct loop *loop);
/* False, with errno, if the system refuses. */
bool loop_add(struct loop *loop, struct source *source, uint32_t events);
void loop_change(struct source *source, uint32_t events);
/* No event of it is reported until it is added again; a hang-up would be reported even if no event is wanted. */
void loop_remove(const struct source *source);
/* Removes and closes it, in this order: a descriptor that is open elsewhere too would still cause events. */
void loop_close(struct source *source);
/* Waits at most `timeout` ms (-1: without a limit) and calls `ready` of each source that has events. */
void loop_turn(struct loop *loop, int timeout);
/* Frees the memory at the end of this turn; its first word links the list. */
void loop_free_later(struct loop *loop, void *memory);
/* Frees what was removed in this turn. */
void loop_free_removed(struct loop *loop);

#endif
