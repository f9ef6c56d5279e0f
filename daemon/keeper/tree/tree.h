#ifndef KEEPER_TREE_H
#define KEEPER_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "tree/sender.h"

/* A longer request ends the program: DATA has at most 1 MiB. */
#define MAX_REQUEST (2u * 1024 * 1024)
#define OUT_BYTES (4u * 1024 * 1024)
/* Room that one entry with all its attributes, or the answer to one request, never exceeds. */
#define ENTRY_ROOM (512u * 1024)
/* Contents of a batch: what is read is in the cache of the processor still when it is hashed and written. */
#define DATA_BYTES (256u * 1024)
#define MAX_PATTERNS 64
#define MAX_WITHHELD 64
#define TEMP_NAME 64

/* A file or a directory that is neither read, walked, replaced nor removed. */
struct withheld {
  uint64_t device;
  uint64_t inode;
};

/* What an object gets. `xattrs` is a list of name (u8 length) and value (u32 length). */
struct attributes {
  uint32_t mode;
  uint32_t uid;
  uint32_t gid;
  int64_t mtime;
  uint32_t xattrs_length;
  const uint8_t *xattrs;
};

/* What has to be at a path when it is changed; not `given`: any object, or none. */
struct expected {
  bool given;
  bool exists;
  uint64_t device;
  uint64_t inode;
  int64_t ctime;
};

/* The one file that is being written: DATA and HOLE belong to it until PUT_END. */
struct put {
  uint32_t request;
  /* -1 without one; `error` is why, or why it will not be kept. */
  int file;
  int error;
  uint64_t length;
  /* Whether the file has the temporary name; else it has none yet. */
  bool is_named;
  char path[PATH_MAX];
  struct attributes attributes;
  struct expected expected;
};

/* State of the program that walks, reads and changes one tree (docs/keeper.md, Trees). */
struct tree {
  int root;
  bool may_use_openat2;
  char temp_name[TEMP_NAME];
  struct withheld withheld[MAX_WITHHELD];
  uint32_t withheld_count;
  /* Entries that a walk may report in all. */
  uint64_t max_entries;

  /* Descriptor 3, which contents are appended to; `stored` counts the bytes that are in the batch too. */
  uint64_t stored;
  uint64_t max_stored;
  /* Bytes of the piece that is being read. */
  uint32_t piece_length;
  struct batch batch;
  struct sender sender;

  size_t in_length;
  uint8_t *in;

  struct put put;
};

/* Nanoseconds since 1970. */
static inline int64_t nanoseconds(struct timespec time)
{
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline bool is_withheld(const struct tree *tree, const struct stat *stats)
{
  for (uint32_t i = 0; i < tree->withheld_count; i++)
    if (tree->withheld[i].inode == stats->st_ino && tree->withheld[i].device == stats->st_dev)
      return true;
  return false;
}

#endif
