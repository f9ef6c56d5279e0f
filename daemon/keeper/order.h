#ifndef KEEPER_ORDER_H
#define KEEPER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* The arrival order of stdout and stderr (docs/output-log.md). */
struct order {
  int file;
  /* The stream that wrote last, -1 where none has. */
  int speaking;
  uint64_t count;
};

/* Stream `speaks` of process `id` has grown; `ends` are those of stdout and stderr. Whether there is a new entry. */
bool order_note(struct order *order, const char *id, int speaks, const uint64_t ends[2]);
void order_close(struct order *order);
/* Unlinks its files. */
void order_discard(struct order *order, const char *id);

#endif
