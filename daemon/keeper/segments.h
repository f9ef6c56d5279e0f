#ifndef KEEPER_SEGMENTS_H
#define KEEPER_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* The segment files of one stream (docs/output-log.md). */
struct segment {
  uint64_t start;
  uint64_t end;
};

struct segments {
  /* Of the files' names; both have to stay. */
  const char *id;
  const char *kind;
  /* The newest, while it is written; else -1. */
  int file;
  uint32_t bytes_each;
  uint64_t cap;
  /* Where the oldest that is kept begins. */
  uint64_t first;
  struct segment *items;
  uint32_t count;
  uint32_t capacity;
};

/* Brings cap and size into their bounds. */
struct segments segments_of(const char *id, const char *kind, uint64_t cap, uint32_t bytes_each);
/* How many bytes the newest takes at `*at` of its file; opens one that begins at `end` where that is none. 0: the disk refuses. */
uint32_t segments_room(struct segments *segments, uint64_t end, int64_t *at);
/* So many bytes were written there. */
void segments_stored(struct segments *segments, uint64_t bytes);
/* Takes back the newest where it got no byte, so that a full disk leaves no empty files. */
void segments_abandon_empty(struct segments *segments);
/* The next byte begins a new one. */
void segments_close(struct segments *segments);
/* Unlinks all; `end` is where the stream ends. */
void segments_discard(struct segments *segments, uint64_t end);
/* The files stay. */
void segments_free(struct segments *segments);

#endif
