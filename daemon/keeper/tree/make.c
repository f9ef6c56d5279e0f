#include "tree/make.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tree/beneath.h"
#include "tree/change.h"
#include "tree/output.h"

/* Longer than any path, with its end. */
struct object {
  uint32_t request;
  char path[PATH_MAX];
  uint8_t kind;
  char target[PATH_MAX];
  uint64_t device;
  struct expected expected;
  struct attributes attributes;
};

static bool take_path(struct reader *reader, char *path)
{
  const char *given = take_string(reader);
  size_t length = strlen(given);
  if (length >= PATH_MAX)
    return false;
  memcpy(path, given, length + 1);
  return true;
}

/* A hard link to another object of the tree. */
static int link_object(struct tree *tree, const char *target, int parent, const char *name)
{
  const char *target_name;
  int target_parent = open_parent(tree, target, &target_name);
  if (target_parent < 0)
    return errno;
  int error = linkat(target_parent, target_name, parent, name, 0) < 0 ? errno : 0;
  close(target_parent);
  return error;
}

static int create(struct tree *tree, int parent, const char *name, const struct object *object)
{
  switch (object->kind) {
  case 'd':
    return mkdirat(parent, name, 0700) < 0 ? errno : 0;
  case 'l':
    return symlinkat(object->target, parent, name) < 0 ? errno : 0;
  case 'p':
    return mkfifoat(parent, name, 0600) < 0 ? errno : 0;
  case 'b':
    return mknodat(parent, name, S_IFBLK | 0600, object->device) < 0 ? errno : 0;
  case 'c':
    return mknodat(parent, name, S_IFCHR | 0600, object->device) < 0 ? errno : 0;
  case 'h':
    return link_object(tree, object->target, parent, name);
  default:
    return EINVAL;
  }
}

/* Without following it if a link took the name. */
static int set_at(int parent, const char *name, const struct attributes *attributes)
{
  int object = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (object < 0)
    return errno;
  struct stat stats;
  int error = fstat(object, &stats) < 0 ? errno : 0;
  if (error == 0 && S_ISLNK(stats.st_mode))
    error = set_link_attributes(parent, name, attributes);
  else if (error == 0)
    error = set_attributes(object, attributes);
  close(object);
  return error;
}

/* A directory is made in its place; what else there is, is made under the temporary name and replaces what is there. */
static int make_at(struct tree *tree, int parent, const char *name, const struct object *object)
{
  int error = check_expected(tree, parent, name, &object->expected);
  if (error != 0)
    return error;
  if (object->kind == 'd')
    return create(tree, parent, name, object);
  error = create(tree, parent, tree->temp_name, object);
  if (error != 0)
    return error;
  if (object->kind != 'h')
    error = set_at(parent, tree->temp_name, &object->attributes);
  if (error == 0 && renameat(parent, tree->temp_name, parent, name) < 0)
    error = errno;
  /* A rename onto another link of the same file leaves both names. */
  unlinkat(parent, tree->temp_name, 0);
  return error;
}

bool make_object(struct tree *tree, struct reader *reader)
{
  struct object object = {.request = take_u32(reader)};
  if (!take_path(reader, object.path))
    return false;
  object.kind = take_u8(reader);
  if (!take_path(reader, object.target))
    return false;
  object.device = take_u64(reader);
  object.expected = take_expected(reader);
  object.attributes = take_attributes(reader);
  if (!finished(reader))
    return false;
  const char *name;
  int parent = open_parent(tree, object.path, &name);
  int error = parent < 0 ? errno : make_at(tree, parent, name, &object);
  if (parent >= 0)
    close(parent);
  put_done(tree, object.request, error);
  return true;
}

bool remove_object(struct tree *tree, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  char path[PATH_MAX];
  if (!take_path(reader, path))
    return false;
  bool is_directory = take_flag(reader);
  struct expected expected = take_expected(reader);
  if (!finished(reader))
    return false;
  const char *name;
  int parent = open_parent(tree, path, &name);
  int error = parent < 0 ? errno : check_expected(tree, parent, name, &expected);
  if (error == 0 && unlinkat(parent, name, is_directory ? AT_REMOVEDIR : 0) < 0)
    error = errno;
  if (parent >= 0)
    close(parent);
  put_done(tree, request, error);
  return true;
}

bool set_object(struct tree *tree, struct reader *reader)
{
  uint32_t request = take_u32(reader);
  char path[PATH_MAX];
  if (!take_path(reader, path))
    return false;
  struct expected expected = take_expected(reader);
  struct attributes attributes = take_attributes(reader);
  if (!finished(reader))
    return false;
  const char *name = "";
  int parent = path[0] == '\0' ? -1 : open_parent(tree, path, &name);
  int error = 0;
  if (path[0] == '\0')
    error = set_attributes(tree->root, &attributes);
  else if (parent < 0)
    error = errno;
  else
    error = check_expected(tree, parent, name, &expected);
  if (error == 0 && parent >= 0)
    error = set_at(parent, name, &attributes);
  if (parent >= 0)
    close(parent);
  put_done(tree, request, error);
  return true;
}
