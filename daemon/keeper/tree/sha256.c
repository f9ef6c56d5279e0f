#include "tree/sha256.h"

#include <string.h>

void start_hash(struct sha256 *hash)
{
  static const uint32_t first[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  };
  memcpy(hash->state, first, sizeof first);
  hash->length = 0;
}

size_t fill_block(struct sha256 *hash, const uint8_t *bytes, size_t length)
{
  size_t used = hash->length % BLOCK_BYTES;
  if (used == 0)
    return 0;
  size_t count = length < BLOCK_BYTES - used ? length : BLOCK_BYTES - used;
  memcpy(hash->block + used, bytes, count);
  hash->length += count;
  if (used + count == BLOCK_BYTES) {
    hash->length -= BLOCK_BYTES;
    hash_blocks(hash, hash->block, NULL, NULL, 1);
  }
  return count;
}

void keep_rest(struct sha256 *hash, const uint8_t *bytes, size_t length)
{
  memcpy(hash->block, bytes, length);
  hash->length += length;
}

void end_hash(struct sha256 *hash, uint8_t digest[DIGEST_BYTES])
{
  uint8_t last[2 * BLOCK_BYTES] = {0};
  size_t used = hash->length % BLOCK_BYTES;
  uint64_t bits = hash->length * 8;
  memcpy(last, hash->block, used);
  last[used] = 0x80;
  size_t blocks = used + 1 + sizeof bits <= BLOCK_BYTES ? 1 : 2;
  for (size_t i = 0; i < sizeof bits; i++)
    last[blocks * BLOCK_BYTES - 1 - i] = (uint8_t)(bits >> (8 * i));
  hash_blocks(hash, last, NULL, NULL, blocks);
  for (size_t i = 0; i < DIGEST_BYTES; i++)
    digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define WITH_SHA __attribute__((target("sha,ssse3,sse4.1")))

/* The state in the order that the instructions take. */
struct lane {
  __m128i abef;
  __m128i cdgh;
};

bool can_hash(void)
{
  const unsigned ssse3 = 1u << 9;
  const unsigned sse41 = 1u << 19;
  const unsigned sha = 1u << 29;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & ssse3) == 0 || (c & sse41) == 0)
    return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & sha) != 0;
}

WITH_SHA static inline struct lane lane_of(const struct sha256 *hash)
{
  __m128i abcd = _mm_loadu_si128((const __m128i *)hash->state);
  __m128i efgh = _mm_loadu_si128((const __m128i *)(hash->state + 4));
  __m128i badc = _mm_shuffle_epi32(abcd, 0xb1);
  __m128i hgfe = _mm_shuffle_epi32(efgh, 0x1b);
  return (struct lane){.abef = _mm_alignr_epi8(badc, hgfe, 8), .cdgh = _mm_blend_epi16(hgfe, badc, 0xf0)};
}

WITH_SHA static inline void keep_lane(struct sha256 *hash, struct lane lane)
{
  __m128i feba = _mm_shuffle_epi32(lane.abef, 0x1b);
  __m128i dchg = _mm_shuffle_epi32(lane.cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)hash->state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(hash->state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

WITH_SHA static inline void load_block(__m128i words[4], const uint8_t *block)
{
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  for (int i = 0; i < 4; i++)
    words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * i)), big_endian);
}

/* Rounds 4 * step to 4 * step + 3, and the words of the rounds that are 16 later. */
WITH_SHA static inline void four_rounds(struct lane *lane, __m128i words[4], int step)
{
  static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  };
  __m128i *now = &words[step & 3];
  __m128i last = words[(step + 3) & 3];
  __m128i sum = _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)(constants + 4 * step)));
  lane->cdgh = _mm_sha256rnds2_epu32(lane->cdgh, lane->abef, sum);
  lane->abef = _mm_sha256rnds2_epu32(lane->abef, lane->cdgh, _mm_shuffle_epi32(sum, 0x0e));
  if (step >= 12)
    return;
  __m128i earlier = _mm_alignr_epi8(last, words[(step + 2) & 3], 4);
  __m128i mixed = _mm_add_epi32(_mm_sha256msg1_epu32(*now, words[(step + 1) & 3]), earlier);
  *now = _mm_sha256msg2_epu32(mixed, last);
}

WITH_SHA static inline void add_lane(struct lane *lane, struct lane before)
{
  lane->abef = _mm_add_epi32(lane->abef, before.abef);
  lane->cdgh = _mm_add_epi32(lane->cdgh, before.cdgh);
}

WITH_SHA static void hash_one(struct sha256 *hash, const uint8_t *bytes, size_t blocks)
{
  struct lane lane = lane_of(hash);
  for (size_t i = 0; i < blocks; i++) {
    struct lane before = lane;
    __m128i words[4];
    load_block(words, bytes + i * BLOCK_BYTES);
#pragma GCC unroll 16
    for (int step = 0; step < 16; step++)
      four_rounds(&lane, words, step);
    add_lane(&lane, before);
  }
  keep_lane(hash, lane);
}

WITH_SHA static void hash_two(struct sha256 *a, const uint8_t *of_a, struct sha256 *b, const uint8_t *of_b,
                              size_t blocks)
{
  struct lane lane_a = lane_of(a);
  struct lane lane_b = lane_of(b);
  for (size_t i = 0; i < blocks; i++) {
    struct lane before_a = lane_a;
    struct lane before_b = lane_b;
    __m128i words_a[4];
    __m128i words_b[4];
    load_block(words_a, of_a + i * BLOCK_BYTES);
    load_block(words_b, of_b + i * BLOCK_BYTES);
#pragma GCC unroll 16
    for (int step = 0; step < 16; step++) {
      four_rounds(&lane_a, words_a, step);
      four_rounds(&lane_b, words_b, step);
    }
    add_lane(&lane_a, before_a);
    add_lane(&lane_b, before_b);
  }
  keep_lane(a, lane_a);
  keep_lane(b, lane_b);
}

void hash_blocks(struct sha256 *a, const uint8_t *of_a, struct sha256 *b, const uint8_t *of_b, size_t blocks)
{
  a->length += blocks * BLOCK_BYTES;
  if (b == NULL) {
    hash_one(a, of_a, blocks);
    return;
  }
  b->length += blocks * BLOCK_BYTES;
  hash_two(a, of_a, b, of_b, blocks);
}

#else

bool can_hash(void)
{
  return false;
}

void hash_blocks(struct sha256 *a, const uint8_t *of_a, struct sha256 *b, const uint8_t *of_b, size_t blocks)
{
  (void)a;
  (void)of_a;
  (void)b;
  (void)of_b;
  (void)blocks;
}

#endif
