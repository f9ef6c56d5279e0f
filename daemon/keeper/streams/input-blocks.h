#ifndef KEEPER_INPUT_BLOCKS_H
#define KEEPER_INPUT_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/loop.h"

/* Held bytes lie in blocks of this size. */
#define INPUT_BLOCK 4096u
/* The most blocks of one process: 8 MiB. */
#define INPUT_BLOCKS 2048u
/* Blocks of all, apart from the first ones of processes that come when they are taken: 1 MiB is left for these. */
#define INPUT_POOL_BLOCKS (16384u - 256u)

struct process;
struct input_block;

/* The blocks of all processes. An open input without one may always take its first. */
struct input_pool {
  uint32_t blocks;
  /* Open inputs without a block. */
  uint32_t empty;
  /* Inputs that were refused bytes because of others. */
  uint32_t starved;
  /* Called with `context` when there is room for the starved ones. */
  void (*relieved)(void *context);
  void *context;
};

/* The stdin of a process, or the input of its terminal. Closed where `source.fd` is -1. */
struct input {
  struct source source;
  struct input_pool *pool;
  struct process *process;
  /* Called when something about it has to be announced. */
  void (*changed)(struct process *process);
  /* The held bytes: the first block from `start` on, the last one up to `end`. */
  struct input_block *first;
  struct input_block *last;
  uint32_t start;
  uint32_t end;
  uint32_t blocks;
  uint32_t length;
  /* The offset up to which everything was taken. */
  uint64_t taken;
  /* Bytes that were taken and did not reach the process before its input was closed. */
  uint64_t dropped;
  /* That of the last STDIN, and whether the client waits for the STATE that has it. */
  uint64_t sequence;
  bool asked;
  bool starved;
  bool ends;
};

/* Blocks of one write. */
#define INPUT_BATCH 64

/* How many more blocks the input may take now. */
uint32_t input_blocks_free_count(const struct input *input);
/* Appends to the held bytes; returns how many fit. */
uint32_t input_hold(struct input *input, const uint8_t *bytes, uint32_t count);
/* The held bytes, as far as one write takes them; returns the number of parts. */
int input_gather(const struct input *input, struct iovec *parts);
/* The first held bytes were written. */
void input_consume(struct input *input, size_t count);
/* It is not starved any more. */
void input_unstarve(struct input *input);
/* Reports that there is room for the starved inputs. */
void input_relieve(struct input_pool *pool);
/* Drops all held bytes. */
void input_blocks_free(struct input *input);

#endif
