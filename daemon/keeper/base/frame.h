#ifndef KEEPER_FRAME_H
#define KEEPER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A plain number, since the names of socket and lock contain it. */
#ifndef PROTOCOL_VERSION
#define PROTOCOL_VERSION 4
#endif
#define MAX_FRAME (12u * 1024 * 1024)
#define MAX_ID 100

/* docs/keeper.md has the fields of each. */
enum frame_type {
  HELLO = 1,
  START,
  STDIN,
  STDIN_EOF,
  RESIZE,
  SIGNAL,
  FOREGROUND,
  FORGET,
  SHUTDOWN,
  TRIM,
  RESERVE,
  RELEASE,
  FIGURES,
  KILLS,
  /* LIST, HELD and LISTED are the same in every version of the protocol. */
  LIST = 31,
  WATCH_ADD = 32,
  WATCH_REMOVE,
  /* Requests to `keeper-tree`. */
  TREE_OPEN = 36,
  TREE_WALK,
  TREE_READ,
  TREE_PUT,
  TREE_DATA,
  TREE_HOLE,
  TREE_PUT_END,
  TREE_MAKE,
  TREE_REMOVE,
  TREE_SET,
  /* From a forker. */
  ADOPT = 48,
  WELCOME = 65,
  STATE,
  SYNCED,
  FAILED,
  SIGNALLED,
  ID_RESERVED,
  FIGURES_ANSWER,
  KILLS_ANSWER,
  HELD = 94,
  LISTED,
  WATCH_ADDED = 96,
  WATCH_EVENT,
  /* Answers of `keeper-tree`. */
  TREE_OPENED = 100,
  TREE_DIRECTORY,
  TREE_WALKED,
  TREE_CONTENT,
  TREE_DONE,
  TREE_FAILED,
  TREE_HASHES,
  /* To a forker. */
  ADOPTED = 112,
};

/* Reads the fields of one frame. Once it is `bad`, every further field is 0 or empty. */
struct reader {
  uint8_t *at;
  size_t left;
  bool bad;
};

uint8_t take_u8(struct reader *reader);
uint16_t take_u16(struct reader *reader);
uint32_t take_u32(struct reader *reader);
uint64_t take_u64(struct reader *reader);
/* A flag that is 0 or 1. */
bool take_flag(struct reader *reader);
/* Any bytes, in place. */
uint8_t *take_bytes(struct reader *reader, uint32_t *length);
/* Without NUL inside; ended by one in place, over its own length, so that it is taken once. Never NULL. */
char *take_string(struct reader *reader);
/* A string that is an id; never NULL. */
char *take_id(struct reader *reader);
/* Whether all was read and nothing is left over. */
bool finished(const struct reader *reader);

/* The account that a process runs as, or that searches for it. */
struct account {
  bool given;
  uid_t uid;
  gid_t gid;
  uint32_t count;
  gid_t *groups;
};

/* `groups` is allocated; NULL if none exist, it is bad, or memory is short (then it is bad). */
struct account take_account(struct reader *reader);

/* Writes frames into a buffer; callers check `has_room` first. */
struct writer {
  uint8_t *bytes;
  size_t length;
  size_t capacity;
  size_t frame;
};

/* More than any frame of the keeper with its id takes, except STATE and those of `keeper-watch` and `keeper-tree`. */
#define FRAME_ROOM 256

bool has_room(const struct writer *writer, size_t bytes);
/* Gives an allocated buffer another size, which keeps what fits; false if memory is short. */
bool set_capacity(uint8_t **bytes, size_t *capacity, size_t wanted);
void begin_frame(struct writer *writer, enum frame_type type);
void put_u8(struct writer *writer, uint8_t value);
void put_u32(struct writer *writer, uint32_t value);
void put_u64(struct writer *writer, uint64_t value);
void put_string(struct writer *writer, const char *text);
void put_bytes(struct writer *writer, const uint8_t *bytes, uint32_t length);
void end_frame(struct writer *writer);

uint32_t read_u32(const uint8_t *at);

#endif
