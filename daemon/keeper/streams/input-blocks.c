#include "streams/input-blocks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

/* Blocks that are free again before the starved inputs are announced. */
#define RELIEF_BLOCKS 16u

struct input_block {
  struct input_block *next;
  uint8_t bytes[INPUT_BLOCK];
};

uint32_t input_blocks_free_count(const struct input *input)
{
  const struct input_pool *pool = input->pool;
  uint32_t used = pool->blocks + pool->empty;
  uint32_t of_pool = used < INPUT_POOL_BLOCKS ? INPUT_POOL_BLOCKS - used : 0;
  uint32_t own = INPUT_BLOCKS - input->blocks;
  /* The first block is its own. */
  if (input->blocks == 0)
    of_pool++;
  return own < of_pool ? own : of_pool;
}

static bool add_block(struct input *input)
{
  if (input_blocks_free_count(input) == 0)
    return false;
  struct input_block *block = malloc(sizeof *block);
  if (block == NULL)
    return false;
  block->next = NULL;
  if (input->last == NULL) {
    input->first = block;
    input->start = 0;
    input->pool->empty--;
    loop_change(&input->source, EPOLLOUT);
  } else {
    input->last->next = block;
  }
  input->last = block;
  input->end = 0;
  input->blocks++;
  input->pool->blocks++;
  return true;
}

static void drop_block(struct input *input)
{
  struct input_block *block = input->first;
  input->first = block->next;
  input->start = 0;
  input->blocks--;
  input->pool->blocks--;
  if (input->first == NULL) {
    input->last = NULL;
    input->pool->empty++;
  }
  free(block);
}

void input_unstarve(struct input *input)
{
  if (!input->starved)
    return;
  input->starved = false;
  input->pool->starved--;
}

void input_relieve(struct input_pool *pool)
{
  if (pool->starved > 0 && pool->blocks + pool->empty + RELIEF_BLOCKS <= INPUT_POOL_BLOCKS)
    pool->relieved(pool->context);
}

uint32_t input_hold(struct input *input, const uint8_t *bytes, uint32_t count)
{
  uint32_t done = 0;
  while (done < count) {
    if ((input->last == NULL || input->end == INPUT_BLOCK) && !add_block(input))
      break;
    uint32_t piece = INPUT_BLOCK - input->end;
    if (piece > count - done)
      piece = count - done;
    memcpy(input->last->bytes + input->end, bytes + done, piece);
    input->end += piece;
    done += piece;
  }
  input->length += done;
  if (done < count && input->blocks < INPUT_BLOCKS && !input->starved) {
    input->starved = true;
    input->pool->starved++;
  }
  return done;
}

int input_gather(const struct input *input, struct iovec *parts)
{
  int count = 0;
  for (struct input_block *block = input->first; block != NULL && count < INPUT_BATCH; block = block->next) {
    uint32_t start = block == input->first ? input->start : 0;
    uint32_t end = block == input->last ? input->end : INPUT_BLOCK;
    parts[count++] = (struct iovec){.iov_base = block->bytes + start, .iov_len = end - start};
  }
  return count;
}

void input_consume(struct input *input, size_t count)
{
  input->length -= (uint32_t)count;
  while (count > 0) {
    uint32_t end = input->first == input->last ? input->end : INPUT_BLOCK;
    if (count < end - input->start) {
      input->start += (uint32_t)count;
      return;
    }
    count -= end - input->start;
    drop_block(input);
  }
}

void input_blocks_free(struct input *input)
{
  while (input->first != NULL)
    drop_block(input);
}
