#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static void shut(struct input *input)
{
  input_close(input);
  input->changed(input->process);
}

/* Bytes that were written; -1 where the input was closed. */
static int64_t pass_on(struct input *input, const uint8_t *bytes, uint32_t count)
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
      return -1;
    }
    done += (uint32_t)written;
  }
  if (done > 0)
    input->changed(input->process);
  return done;
}

static void input_ready(struct source *source, uint32_t events)
{
  struct input *input = (struct input *)source;
  if (events & (EPOLLERR | EPOLLHUP)) {
    shut(input);
    return;
  }
  int64_t done = pass_on(input, input->bytes + input->start, input->length);
  if (done < 0)
    return;
  input->start += (uint32_t)done;
  input->length -= (uint32_t)done;
  if (input->length > 0)
    return;
  free(input->bytes);
  input->bytes = NULL;
  input->start = 0;
  if (input->ends)
    shut(input);
  else
    loop_change(source, 0);
}

bool input_open(struct input *input, struct loop *loop, int fd, struct process *process,
                void (*changed)(struct process *process))
{
  *input = (struct input){
      .source = {.fd = fd, .ready = input_ready},
      .process = process,
      .changed = changed,
      .limit = INPUT_WINDOW,
  };
  if (loop_add(loop, &input->source, 0))
    return true;
  int error = errno;
  close(fd);
  input->source.fd = -1;
  errno = error;
  return false;
}

/* Appends to the held bytes; the credit bounds the sum. */
static bool hold(struct input *input, const uint8_t *bytes, uint32_t count)
{
  if (input->bytes == NULL) {
    input->bytes = malloc(INPUT_WINDOW);
    if (input->bytes == NULL)
      return false;
    loop_change(&input->source, EPOLLOUT);
  }
  if (input->start + input->length + count > INPUT_WINDOW) {
    memmove(input->bytes, input->bytes + input->start, input->length);
    input->start = 0;
  }
  memcpy(input->bytes + input->start + input->length, bytes, count);
  input->length += count;
  return true;
}

bool input_write(struct input *input, uint64_t offset, const uint8_t *bytes, uint32_t count)
{
  if (input->source.fd < 0 || input->ends || offset > input->taken || input->taken - offset >= count)
    return true;
  bytes += input->taken - offset;
  count -= (uint32_t)(input->taken - offset);
  if (input->taken + count > input->limit)
    return false;
  input->taken += count;
  int64_t done = input->length > 0 ? 0 : pass_on(input, bytes, count);
  if (done >= 0 && (uint32_t)done < count && !hold(input, bytes + done, count - (uint32_t)done))
    shut(input);
  return true;
}

void input_end(struct input *input, uint64_t offset)
{
  if (input->source.fd < 0 || offset != input->taken)
    return;
  input->ends = true;
  if (input->length == 0)
    shut(input);
}

uint64_t input_limit(const struct input *input)
{
  return input->taken + INPUT_WINDOW - input->length;
}

void input_close(struct input *input)
{
  loop_close(&input->source);
  free(input->bytes);
  input->bytes = NULL;
  input->start = input->length = 0;
}
