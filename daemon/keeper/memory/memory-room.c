#include "memory/memory-room.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/cgroup.h"

/* Version 1 shows a huge number for no limit. */
#define NO_LIMIT (INT64_MAX / 4)
/* The bytes of files are read only if less than 1/N of the limit is left: the read takes time. */
#define SCARCE 2

static int open_file(bool is_v2, const char *name)
{
  char path[3 * PATH_MAX];
  return cgroup_file(is_v2, name, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

void memory_room_open(struct memory_room *room)
{
  room->is_v2 = true;
  room->used = open_file(true, "memory.current");
  if (room->used < 0) {
    room->is_v2 = false;
    room->used = open_file(false, "memory.usage_in_bytes");
  }
  room->limit = open_file(room->is_v2, room->is_v2 ? "memory.max" : "memory.limit_in_bytes");
  room->stat = open_file(room->is_v2, "memory.stat");
}

static int64_t number_in(int file)
{
  char text[32];
  ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
  if (length <= 0 || text[0] < '0' || text[0] > '9')
    return -1;
  text[length] = '\0';
  return strtoll(text, NULL, 10);
}

int64_t memory_limit(const struct memory_room *room)
{
  int64_t limit = number_in(room->limit);
  return limit > NO_LIMIT ? -1 : limit;
}

static int64_t value_of(const char *text, const char *key)
{
  const char *at = strstr(text, key);
  return at == NULL ? 0 : strtoll(at + strlen(key), NULL, 10);
}

static int64_t bytes_of_files(const struct memory_room *room)
{
  char text[8192];
  ssize_t length = room->stat < 0 ? -1 : pread(room->stat, text, sizeof text - 1, 0);
  if (length <= 0)
    return 0;
  text[length] = '\0';
  return room->is_v2 ? value_of(text, "\ninactive_file ") + value_of(text, "\nactive_file ")
                     : value_of(text, "\ntotal_inactive_file ") + value_of(text, "\ntotal_active_file ");
}

int64_t memory_left(const struct memory_room *room, int64_t limit)
{
  int64_t used = number_in(room->used);
  if (limit < 0 || used < 0)
    return -1;
  int64_t left = limit - used;
  return left > limit / SCARCE ? left : left + bytes_of_files(room);
}
