#ifndef KEEPER_TREE_SHA256_H
#define KEEPER_TREE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_BYTES 64u
#define DIGEST_BYTES 32u

/* A SHA-256 of which `length` bytes are known; those after the last whole block are in `block`. */
struct sha256 {
  uint32_t state[8];
  uint64_t length;
  uint8_t block[BLOCK_BYTES];
};

/* Whether the processor has the instructions. Without them nothing below is called, and the client hashes. */
bool can_hash(void);
void start_hash(struct sha256 *hash);
/* Takes whole blocks of each; `b` may be NULL. The processor works at both at once, in hardly more time than at one. */
void hash_blocks(struct sha256 *a, const uint8_t *of_a, struct sha256 *b, const uint8_t *of_b, size_t blocks);
/* Takes bytes until a block that is begun is whole. The count of bytes taken. */
size_t fill_block(struct sha256 *hash, const uint8_t *bytes, size_t length);
/* Takes less than a block where none is begun. */
void keep_rest(struct sha256 *hash, const uint8_t *bytes, size_t length);
void end_hash(struct sha256 *hash, uint8_t digest[DIGEST_BYTES]);

#endif
