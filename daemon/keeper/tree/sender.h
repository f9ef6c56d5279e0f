#ifndef KEEPER_TREE_SENDER_H
#define KEEPER_TREE_SENDER_H

#include <pthread.h>

#include "tree/hasher.h"

/* Parts of pieces that a batch has at most. */
#define MAX_PARTS 2048u

/* Contents, and the answers that name them. */
struct batch {
  uint8_t *data;
  size_t data_length;
  struct part *parts;
  uint32_t part_count;
  struct writer out;
};

/* Sends one batch while the next one is filled. */
struct sender {
  /* Whether the pieces of contents are hashed. */
  bool hashes;
  struct hasher hasher;
  struct batch batch;
  struct writer digests;
  /* Why contents could not be written: an errno. */
  int error;
  /* The client reads no more. */
  bool is_closed;

  /* Without a thread, which an account may not have any more of, a batch is sent at once. */
  bool has_thread;
  bool asked_for_thread;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool is_busy;
};

/* False if memory is short. */
bool allocate_batch(struct batch *batch);
bool start_sender(struct sender *sender);
/* Waits until all is sent. */
void wait_sent(struct sender *sender);
/* Takes a batch to be sent and hands over an empty one. All before it has been sent. */
void send_batch(struct sender *sender, struct batch *batch);
/* Writes everything to a descriptor; false with errno. */
bool write_all(int descriptor, const uint8_t *bytes, size_t length);

#endif
