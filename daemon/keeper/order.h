#ifndef KEEPER_ORDER_H
#define KEEPER_ORDER_H

#include <stdint.h>

/* The arrival order of stdout and stderr (docs/output-log.md). */
struct order {
  int file;
  /* The stream that wrote last, -1 where none has. */
  int speaking;
  uint64_t count;
};

struct process;

/* Stream `speaks` of the process has grown. */
void order_note(struct process *process, int speaks);
void order_close(struct order *order);
/* Unlinks its files. */
void order_discard(struct order *order, const char *id);

#endif
