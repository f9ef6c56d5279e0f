#ifndef KEEPER_FIGURES_H
#define KEEPER_FIGURES_H

#include <stdint.h>

/* What the keeper counts for FIGURES; docs/keeper.md. */
struct figures {
  /* Now. */
  uint64_t starting;
  uint64_t reserved;
  uint64_t searches;
  /* Since the keeper began. */
  uint64_t started;
  uint64_t adopted;
  uint64_t ended;
  uint64_t output_bytes;
  uint64_t dropped_bytes;
  uint64_t complaints;
};

extern struct figures figures;

#endif
