#include "tree/output.h"

#include <stdlib.h>

void finish_answers(struct tree *tree)
{
  wait_sent(&tree->sender);
  if (tree->sender.is_closed)
    exit(0);
  if (tree->sender.error != 0)
    fail(tree, "store", tree->sender.error);
}

void send_answers(struct tree *tree)
{
  finish_answers(tree);
  send_batch(&tree->sender, &tree->batch);
}

void make_room(struct tree *tree, size_t bytes)
{
  if (!has_room(&tree->batch.out, bytes))
    send_answers(tree);
}

void put_done(struct tree *tree, uint32_t request, int error)
{
  struct writer *out = &tree->batch.out;
  make_room(tree, FRAME_ROOM);
  begin_frame(out, TREE_DONE);
  put_u32(out, request);
  put_u32(out, (uint32_t)error);
  end_frame(out);
}

void fail(struct tree *tree, const char *what, int error)
{
  struct writer *out = &tree->batch.out;
  wait_sent(&tree->sender);
  bool is_stored = tree->sender.error == 0;
  out->length = 0;
  begin_frame(out, TREE_FAILED);
  put_string(out, is_stored ? what : "store");
  put_u32(out, (uint32_t)(is_stored ? error : tree->sender.error));
  end_frame(out);
  write_all(1, out->bytes, out->length);
  exit(0);
}
