#include "tree/output.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

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

static void send_frames(struct tree *tree)
{
  if (!write_all(1, tree->out.bytes, tree->out.length))
    exit(0);
  tree->out.length = 0;
}

void send_answers(struct tree *tree)
{
  size_t length = tree->data_length;
  tree->data_length = 0;
  if (length > 0 && !write_all(STORE, tree->data, length)) {
    int error = errno;
    tree->out.length = 0;
    fail(tree, "store", error);
  }
  send_frames(tree);
}

void make_room(struct tree *tree, size_t bytes)
{
  if (!has_room(&tree->out, bytes))
    send_answers(tree);
}

void put_done(struct tree *tree, uint32_t request, int error)
{
  make_room(tree, FRAME_ROOM);
  begin_frame(&tree->out, TREE_DONE);
  put_u32(&tree->out, request);
  put_u32(&tree->out, (uint32_t)error);
  end_frame(&tree->out);
}

void fail(struct tree *tree, const char *what, int error)
{
  struct writer *out = &tree->out;
  /* A frame that is not ended has no length yet. */
  if (out->length > out->frame && read_u32(out->bytes + out->frame) == 0)
    out->length = out->frame;
  if (!has_room(out, FRAME_ROOM))
    send_frames(tree);
  begin_frame(out, TREE_FAILED);
  put_string(out, what);
  put_u32(out, (uint32_t)error);
  end_frame(out);
  send_frames(tree);
  exit(0);
}
