#include "tree/sender.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "tree/tree.h"

#define STORE 3

bool write_all(int descriptor, const uint8_t *bytes, size_t length)
{
  for (size_t done = 0; done < length;) {
    ssize_t count = write(descriptor, bytes + done, length - done);
    if (count < 0 && errno == EAGAIN) {
      struct pollfd writable = {.fd = descriptor, .events = POLLOUT};
      poll(&writable, 1, -1);
      continue;
    }
    if (count < 0 && errno != EINTR)
      return false;
    done += count > 0 ? (size_t)count : 0;
  }
  return true;
}

bool allocate_batch(struct batch *batch)
{
  batch->data = malloc(DATA_BYTES);
  batch->parts = malloc(MAX_PARTS * sizeof *batch->parts);
  batch->out = (struct writer){.bytes = malloc(OUT_BYTES), .capacity = OUT_BYTES};
  return batch->data != NULL && batch->parts != NULL && batch->out.bytes != NULL;
}

bool start_sender(struct sender *sender)
{
  const size_t room = HASHES_ROOM + MAX_PARTS * HASH_ROOM;
  sender->digests = (struct writer){.bytes = malloc(room), .capacity = room};
  return sender->digests.bytes != NULL && allocate_batch(&sender->batch) && pthread_mutex_init(&sender->mutex, NULL) == 0 &&
    pthread_cond_init(&sender->changed, NULL) == 0;
}

/* Contents, their hashes, and then what names them. */
static void deliver(struct sender *sender)
{
  struct batch *batch = &sender->batch;
  if (sender->hashes)
    hash_parts(&sender->hasher, batch->data, batch->parts, batch->part_count, &sender->digests);
  if (!write_all(STORE, batch->data, batch->data_length))
    sender->error = errno;
  else if (!write_all(1, sender->digests.bytes, sender->digests.length) ||
           !write_all(1, batch->out.bytes, batch->out.length))
    sender->is_closed = true;
  sender->digests.length = 0;
  batch->data_length = 0;
  batch->part_count = 0;
  batch->out.length = 0;
}

static void *deliver_all(void *argument)
{
  struct sender *sender = argument;
  pthread_mutex_lock(&sender->mutex);
  for (;;) {
    while (!sender->is_busy)
      pthread_cond_wait(&sender->changed, &sender->mutex);
    pthread_mutex_unlock(&sender->mutex);
    deliver(sender);
    pthread_mutex_lock(&sender->mutex);
    sender->is_busy = false;
    pthread_cond_signal(&sender->changed);
  }
  return NULL;
}

void wait_sent(struct sender *sender)
{
  pthread_mutex_lock(&sender->mutex);
  while (sender->is_busy)
    pthread_cond_wait(&sender->changed, &sender->mutex);
  pthread_mutex_unlock(&sender->mutex);
}

static bool has_thread(struct sender *sender)
{
  if (!sender->asked_for_thread)
    sender->has_thread = pthread_create(&sender->thread, NULL, deliver_all, sender) == 0;
  sender->asked_for_thread = true;
  return sender->has_thread;
}

void send_batch(struct sender *sender, struct batch *batch)
{
  struct batch filled = *batch;
  *batch = sender->batch;
  sender->batch = filled;
  if (filled.data_length == 0 || !has_thread(sender)) {
    deliver(sender);
    return;
  }
  pthread_mutex_lock(&sender->mutex);
  sender->is_busy = true;
  pthread_cond_signal(&sender->changed);
  pthread_mutex_unlock(&sender->mutex);
}
