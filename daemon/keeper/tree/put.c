#include "tree/put.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree/beneath.h"
#include "tree/change.h"
#include "tree/output.h"

static int open_new(struct tree *tree, int parent)
{
  struct put *put = &tree->put;
  put->is_named = false;
  int file = openat(parent, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return file;
  put->is_named = true;
  return openat(parent, tree->temp_name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
}

void begin_put(struct tree *tree, struct reader *reader)
{
  struct put *put = &tree->put;
  *put = (struct put){.file = -1, .request = take_u32(reader)};
  const char *path = take_string(reader);
  size_t length = strlen(path);
  put->expected = take_expected(reader);
  put->attributes = take_attributes(reader);
  if (!finished(reader) || length >= sizeof put->path) {
    put->error = EINVAL;
    return;
  }
  memcpy(put->path, path, length + 1);
  uint8_t *xattrs = malloc(put->attributes.xattrs_length + 1);
  if (xattrs == NULL)
    fail(tree, "memory", ENOMEM);
  memcpy(xattrs, put->attributes.xattrs, put->attributes.xattrs_length);
  put->attributes.xattrs = xattrs;
  const char *name;
  int parent = open_parent(tree, put->path, &name);
  put->file = parent < 0 ? -1 : open_new(tree, parent);
  put->error = put->file < 0 ? errno : 0;
  if (parent >= 0)
    close(parent);
}

void put_data(struct tree *tree, const uint8_t *bytes, uint32_t length)
{
  struct put *put = &tree->put;
  if (put->error == 0 && !write_all(put->file, bytes, length))
    put->error = errno;
  put->length += length;
}

void put_hole(struct tree *tree, uint64_t length)
{
  struct put *put = &tree->put;
  put->length += length;
  if (put->error == 0 && lseek(put->file, (off_t)length, SEEK_CUR) < 0)
    put->error = errno;
}

static int give_name(struct tree *tree, int parent, const char *name)
{
  struct put *put = &tree->put;
  int error = check_expected(tree, parent, name, &put->expected);
  if (error != 0)
    return error;
  if (!put->is_named) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", put->file);
    if (linkat(AT_FDCWD, link, parent, name, AT_SYMLINK_FOLLOW) == 0)
      return 0;
    if (errno != EEXIST || linkat(AT_FDCWD, link, parent, tree->temp_name, AT_SYMLINK_FOLLOW) < 0)
      return errno;
    put->is_named = true;
  }
  if (renameat(parent, tree->temp_name, parent, name) < 0)
    return errno;
  put->is_named = false;
  return 0;
}

void end_put(struct tree *tree)
{
  struct put *put = &tree->put;
  const char *name;
  int parent = open_parent(tree, put->path, &name);
  if (put->error == 0 && parent < 0)
    put->error = errno;
  if (put->error == 0 && ftruncate(put->file, (off_t)put->length) < 0)
    put->error = errno;
  if (put->error == 0)
    put->error = set_attributes(put->file, &put->attributes);
  if (put->error == 0)
    put->error = give_name(tree, parent, name);
  if (put->is_named && parent >= 0)
    unlinkat(parent, tree->temp_name, 0);
  if (parent >= 0)
    close(parent);
  if (put->file >= 0)
    close(put->file);
  free((void *)(uintptr_t)put->attributes.xattrs);
  int error = put->error;
  uint32_t request = put->request;
  *put = (struct put){.file = -1, .error = EINVAL};
  put_done(tree, request, error);
}
