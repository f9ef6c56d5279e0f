#ifndef KEEPER_SEGMENTS_H
#define KEEPER_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "streams/output-file.h"

/* The segment files of one stream (docs/output-log.md). */
struct segment {
  uint64_t start;
  uint64_t end;
};

struct segments {
  const struct output_files *files;
  /* Part of the names of the files; not copied. */
  const char *kind;
  /* Descriptor of the newest segment while it is written; else -1. */
  int file;
  uint32_t bytes_each;
  uint64_t cap;
  /* Offset at which the oldest kept segment begins. */
  uint64_t first;
  struct segment *items;
  uint32_t count;
  uint32_t capacity;
};

/* Clamps cap and size to their bounds. */
struct segments segments_of(const struct output_files *files, const char *kind, uint64_t cap, uint32_t bytes_each);
/*
 * Number of bytes that the newest segment takes at position `*at` of its file; opens one that begins at `end` if it
 * is full or there is none. 0 if the disk refuses.
 */
uint32_t segments_room(struct segments *segments, uint64_t end, int64_t *at);
/* Writes bytes that begin at `end` of the stream; the number of those that the disk took. */
size_t segments_write(struct segments *segments, uint64_t end, const uint8_t *bytes, size_t length);
/* That many bytes were written there. */
void segments_stored(struct segments *segments, uint64_t bytes);
/* Removes the newest if it is empty, so that a full disk leaves no empty files. */
void segments_abandon_empty(struct segments *segments);
/* The next byte begins a new segment. */
void segments_close(struct segments *segments);
/* Drops the segments that begin before `first`, but never the newest. */
void segments_trim(struct segments *segments, uint64_t first, uint64_t end);
/* Unlinks all segments; `end` is the offset of the end of the stream. */
void segments_discard(struct segments *segments, uint64_t end);
/* Frees the memory; the files stay. */
void segments_free(struct segments *segments);

#endif
