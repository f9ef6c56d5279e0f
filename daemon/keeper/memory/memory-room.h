#ifndef KEEPER_MEMORY_ROOM_H
#define KEEPER_MEMORY_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* The memory limit of the group of the keeper, and how near its use is; descriptors, -1 if the file does not exist. */
struct memory_room {
  bool is_v2;
  int limit;
  int used;
  int stat;
};

/* Opens the files of the group that the process is in now. */
void memory_room_open(struct memory_room *room);
/* Bytes; -1: unlimited. */
int64_t memory_limit(const struct memory_room *room);
/* Bytes until the limit, files that the system can drop not counted as used once little is left; -1: no limit. */
int64_t memory_left(const struct memory_room *room, int64_t limit);

#endif
