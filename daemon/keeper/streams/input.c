#include "streams/input.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

static void shut(struct input *input)
{
  input_close(input);
  input->changed(input->process);
}

/* Passes held bytes on until the pipe is full; false if the input was closed. */
static bool pass_on_held(struct input *input)
{
  while (input->length > 0) {
    struct iovec parts[INPUT_BATCH];
    ssize_t written = writev(input->source.fd, parts, input_gather(input, parts));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0 && errno == EAGAIN)
      return true;
    if (written <= 0) {
      shut(input);
      return false;
    }
    input_consume(input, (size_t)written);
    input->changed(input->process);
  }
  return true;
}

/* Passes bytes on that were not held; returns how many. The input may be closed afterwards. */
static uint32_t pass_on(struct input *input, const uint8_t *bytes, uint32_t count)
{
  uint32_t done = 0;
  while (done < count) {
    ssize_t written = write(input->source.fd, bytes + done, count - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0 && errno == EAGAIN)
      break;
    if (written <= 0) {
      shut(input);
      break;
    }
    done += (uint32_t)written;
  }
  return done;
}

static void input_ready(struct source *source, uint32_t events)
{
  struct input *input = (struct input *)source;
  if (events & (EPOLLERR | EPOLLHUP)) {
    shut(input);
    return;
  }
  if (!pass_on_held(input))
    return;
  input_relieve(input->pool);
  if (input->length > 0)
    return;
  if (input->ends)
    shut(input);
  else
    loop_change(source, 0);
}

bool input_open(struct input *input, struct input_pool *pool, struct loop *loop, int fd, struct process *process,
                void (*changed)(struct process *process))
{
  *input = (struct input){
      .source = {.fd = fd, .ready = input_ready},
      .pool = pool,
      .process = process,
      .changed = changed,
  };
  if (loop_add(loop, &input->source, 0)) {
    pool->empty++;
    return true;
  }
  int error = errno;
  close(fd);
  input->source.fd = -1;
  errno = error;
  return false;
}

void input_write(struct input *input, const struct input_piece *piece)
{
  input->sequence = piece->sequence;
  input->asked = input->asked || piece->asks;
  bool is_open = input->source.fd >= 0 && !input->ends;
  uint64_t end = piece->offset + piece->count;
  if (is_open && piece->offset <= input->taken && input->taken - piece->offset < piece->count) {
    const uint8_t *bytes = piece->bytes;
    uint32_t count = piece->count;
    bytes += input->taken - piece->offset;
    count -= (uint32_t)(input->taken - piece->offset);
    input_unstarve(input);
    uint32_t done = input->length > 0 ? 0 : pass_on(input, bytes, count);
    if (input->source.fd >= 0 && done < count)
      done += input_hold(input, bytes + done, count - done);
    input->taken += done;
  }
  /* What was not taken has to be sent again. */
  if (input->taken < end)
    input->asked = true;
  if (input->process != NULL)
    input->changed(input->process);
}

void input_end(struct input *input, uint64_t offset)
{
  if (input->source.fd < 0 || offset != input->taken)
    return;
  input->ends = true;
  if (input->length == 0)
    shut(input);
  else
    input->changed(input->process);
}

uint32_t input_room(const struct input *input)
{
  if (input->source.fd < 0 || input->ends)
    return 0;
  uint32_t of_last = input->last == NULL ? 0 : INPUT_BLOCK - input->end;
  return of_last + input_blocks_free_count(input) * INPUT_BLOCK;
}

void input_greet(struct input *input)
{
  input->sequence = 0;
  input->asked = false;
}

void input_close(struct input *input)
{
  if (input->source.fd < 0)
    return;
  loop_close(&input->source);
  input->dropped += input->length;
  input->length = 0;
  input_blocks_free(input);
  input->pool->empty--;
  input_unstarve(input);
  input_relieve(input->pool);
}
