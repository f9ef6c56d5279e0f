#ifndef KEEPER_TREE_HASHER_H
#define KEEPER_TREE_HASHER_H

#include "base/frame.h"
#include "tree/sha256.h"

/* Bytes of a piece of a content; the last one of a content has less. */
#define PIECE_BYTES (4u * 1024 * 1024)
/* What one part of a batch adds to HASHES, and what the frame has besides. */
#define HASH_ROOM (8u + DIGEST_BYTES)
#define HASHES_ROOM 16u

/* The bytes of a piece that one batch has. */
struct part {
  /* Where the piece is in the file of contents. */
  uint64_t start;
  /* Where its bytes are in the batch. */
  uint32_t at;
  uint32_t length;
  bool begins;
  bool ends;
};

/* What is known of the piece that the last batch did not end. */
struct hasher {
  struct sha256 open;
};

/* Writes HASHES with the pieces that end in the batch, if there are any. The caller has the room. */
void hash_parts(struct hasher *hasher, const uint8_t *data, const struct part *parts, uint32_t count,
                struct writer *out);

#endif
