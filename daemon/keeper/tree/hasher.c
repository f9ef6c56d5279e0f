#include "tree/hasher.h"

/* One of two parts that are hashed at once; without a part it has no blocks. */
struct lane {
  const struct part *part;
  struct sha256 hash;
  const uint8_t *at;
  size_t blocks;
};

struct run {
  struct hasher *hasher;
  const uint8_t *data;
  const struct part *next;
  const struct part *end;
  struct writer *out;
};

static void finish(struct run *run, struct lane *lane)
{
  const struct part *part = lane->part;
  lane->part = NULL;
  keep_rest(&lane->hash, lane->at, (size_t)(run->data + part->at + part->length - lane->at));
  if (!part->ends) {
    run->hasher->open = lane->hash;
    return;
  }
  uint8_t digest[DIGEST_BYTES];
  end_hash(&lane->hash, digest);
  put_u64(run->out, part->start);
  for (uint32_t i = 0; i < DIGEST_BYTES; i++)
    put_u8(run->out, digest[i]);
}

/* Gives a lane parts until one has a whole block. */
static void load(struct run *run, struct lane *lane)
{
  while (lane->blocks == 0) {
    if (lane->part != NULL)
      finish(run, lane);
    if (run->next == run->end)
      return;
    const struct part *part = run->next++;
    lane->part = part;
    if (part->begins)
      start_hash(&lane->hash);
    else
      lane->hash = run->hasher->open;
    size_t filled = fill_block(&lane->hash, run->data + part->at, part->length);
    lane->at = run->data + part->at + filled;
    lane->blocks = (part->length - filled) / BLOCK_BYTES;
  }
}

static uint32_t count_ended(const struct part *parts, uint32_t count)
{
  uint32_t ended = 0;
  for (uint32_t i = 0; i < count; i++)
    ended += parts[i].ends ? 1 : 0;
  return ended;
}

void hash_parts(struct hasher *hasher, const uint8_t *data, const struct part *parts, uint32_t count,
                struct writer *out)
{
  struct run run = {.hasher = hasher, .data = data, .next = parts, .end = parts + count, .out = out};
  struct lane a = {0};
  struct lane b = {0};
  uint32_t ended = count_ended(parts, count);
  if (ended > 0) {
    begin_frame(out, TREE_HASHES);
    put_u32(out, ended);
  }
  for (;;) {
    load(&run, &a);
    load(&run, &b);
    struct lane *one = a.blocks > 0 ? &a : &b;
    bool has_two = a.blocks > 0 && b.blocks > 0;
    size_t blocks = has_two && b.blocks < a.blocks ? b.blocks : one->blocks;
    if (blocks == 0)
      break;
    hash_blocks(&one->hash, one->at, has_two ? &b.hash : NULL, b.at, blocks);
    one->at += blocks * BLOCK_BYTES;
    one->blocks -= blocks;
    if (has_two) {
      b.at += blocks * BLOCK_BYTES;
      b.blocks -= blocks;
    }
  }
  if (ended > 0)
    end_frame(out);
}
