#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/frame.h"
#include "base/log.h"
#include "tree/make.h"
#include "tree/output.h"
#include "tree/put.h"
#include "tree/read.h"
#include "tree/tree.h"
#include "tree/walk.h"

static void become(struct tree *tree, const struct account *account)
{
  if (!account->given)
    return;
  if (setgroups(account->count, account->groups) < 0 || setresgid(account->gid, account->gid, account->gid) < 0 ||
      setresuid(account->uid, account->uid, account->uid) < 0)
    fail(tree, "account", errno);
}

/* Answers the path of the root without links, so that it can be judged before the first walk. */
static void put_opened(struct tree *tree)
{
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", tree->root);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0)
    fail(tree, "root", errno);
  begin_frame(&tree->batch.out, TREE_OPENED);
  put_bytes(&tree->batch.out, (const uint8_t *)path, (uint32_t)length);
  put_u32(&tree->batch.out, geteuid());
  end_frame(&tree->batch.out);
}

static bool open_root(struct tree *tree, struct reader *reader)
{
  struct account account = take_account(reader);
  const char *temp_name = take_string(reader);
  size_t length = strlen(temp_name);
  if (tree->root >= 0 || length == 0 || length >= TEMP_NAME || strchr(temp_name, '/') != NULL)
    return false;
  memcpy(tree->temp_name, temp_name, length + 1);
  tree->max_entries = take_u64(reader);
  tree->max_stored = take_u64(reader);
  tree->sender.hashes = take_flag(reader) && can_hash();
  tree->withheld_count = take_u32(reader);
  if (tree->withheld_count > MAX_WITHHELD)
    return false;
  for (uint32_t i = 0; i < tree->withheld_count; i++) {
    tree->withheld[i].device = take_u64(reader);
    tree->withheld[i].inode = take_u64(reader);
  }
  const char *path = take_string(reader);
  if (!finished(reader))
    return false;
  become(tree, &account);
  free(account.groups);
  /* No process of the account may attach to this one, which holds descriptors of the service. */
  if (prctl(PR_SET_DUMPABLE, 0) < 0)
    fail(tree, "prctl", errno);
  tree->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (tree->root < 0)
    fail(tree, "root", errno);
  put_opened(tree);
  return true;
}

static bool take_walk(struct tree *tree, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  uint32_t count = take_u32(reader);
  char *patterns[MAX_PATTERNS];
  if (count > MAX_PATTERNS)
    return false;
  for (uint32_t i = 0; i < count; i++)
    patterns[i] = take_string(reader);
  if (!finished(reader))
    return false;
  walk(tree, request, patterns, count);
  return true;
}

static bool take_content(struct tree *tree, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  const char *path = take_string(reader);
  if (!finished(reader) || strlen(path) >= PATH_MAX)
    return false;
  read_content(tree, request, path);
  return true;
}

static bool take_data(struct tree *tree, struct reader *reader)
{
  uint32_t length;
  const uint8_t *bytes = take_bytes(reader, &length);
  if (!finished(reader))
    return false;
  put_data(tree, bytes, length);
  return true;
}

/* False if the request is not well formed, or before its time. */
static bool handle(struct tree *tree, uint8_t type, struct reader *reader)
{
  if (type == TREE_OPEN || tree->root < 0)
    return type == TREE_OPEN && open_root(tree, reader);
  switch (type) {
  case TREE_WALK:
    return take_walk(tree, reader);
  case TREE_READ:
    return take_content(tree, reader);
  case TREE_PUT:
    if (tree->put.file >= 0)
      return false;
    begin_put(tree, reader);
    return true;
  case TREE_DATA:
    return take_data(tree, reader);
  case TREE_HOLE:
    put_hole(tree, take_u64(reader));
    return finished(reader);
  case TREE_PUT_END:
    end_put(tree);
    return finished(reader);
  case TREE_MAKE:
    return make_object(tree, reader);
  case TREE_REMOVE:
    return remove_object(tree, reader);
  case TREE_SET:
    return set_object(tree, reader);
  default:
    return false;
  }
}

/* False at the end of stdin, or if a frame is not well formed. */
static bool take_requests(struct tree *tree)
{
  uint8_t *in = tree->in;
  ssize_t count = read(0, in + tree->in_length, MAX_REQUEST - tree->in_length);
  if (count <= 0)
    return count < 0 && errno == EINTR;
  tree->in_length += (size_t)count;
  size_t start = 0;
  while (tree->in_length - start >= 4) {
    uint32_t length = read_u32(in + start);
    if (length == 0 || length > MAX_REQUEST - 4)
      return false;
    if (tree->in_length - start < 4 + (size_t)length)
      break;
    struct reader reader = {.at = in + start + 5, .left = length - 1};
    if (!handle(tree, in[start + 4], &reader))
      return false;
    start += 4 + (size_t)length;
  }
  memmove(in, in + start, tree->in_length - start);
  tree->in_length -= start;
  send_answers(tree);
  return true;
}

int main(void)
{
  static struct tree tree;
  tree.root = -1;
  tree.may_use_openat2 = true;
  tree.put.file = -1;
  tree.put.error = EINVAL;
  tree.in = malloc(MAX_REQUEST);
  if (tree.in == NULL || !allocate_batch(&tree.batch) || !start_sender(&tree.sender))
    log_fatal("malloc", NULL);
  umask(077);
  while (take_requests(&tree))
    ;
  finish_answers(&tree);
  return 0;
}
