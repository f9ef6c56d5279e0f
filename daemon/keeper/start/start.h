#ifndef KEEPER_START_H
#define KEEPER_START_H

#include <stdbool.h>
#include <stdint.h>

#include "process/process.h"

#define MAX_LIMITS 32
#define MAX_RECORD (512u * 1024)
/* Kinds of limits beside those of setrlimit(2): nice + 20 and oom_score_adj + 1000, in `soft`. */
enum { LIMIT_NICE = 200, LIMIT_OOM };

struct limit {
  uint8_t kind;
  uint64_t soft;
  uint64_t hard;
};

struct start {
  const char *id;
  enum stdin_kind stdin_kind;
  uint16_t columns;
  uint16_t rows;
  uint64_t cap;
  uint32_t segment_bytes;
  struct account account;
  const char *cwd;
  const char *file;
  char **argv;
  char **envp;
  const uint8_t *script;
  uint32_t script_length;
  bool has_script;
  /* Announced as soon as it runs. */
  bool prompt;
  /* It may hand over processes that it forks. */
  bool forks;
  uint8_t limit_count;
  struct limit limits[MAX_LIMITS];
  bool has_oom_score;
  int oom_score;
  const uint8_t *record;
  uint32_t record_length;
  /* Allocated; the texts above point into it. */
  uint8_t *memory;
};

/* The oom_score_adj of the program. */
int start_score(const struct start *start, int usual);
/* Reads the fields of START; the caller frees them also if the reader is bad. */
struct start start_take(struct reader *reader);
void start_free(struct start *start);

#endif
