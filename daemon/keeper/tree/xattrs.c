#include "tree/xattrs.h"

#include <errno.h>
#include <string.h>
#include <sys/xattr.h>

#define MAX_NAMES (64 * 1024)
/* The kernel clears a buffer of the size that is asked for at each call: few objects have more names than this. */
#define FEW_NAMES 256

/* Other names are the system's own, such as labels of a security module. */
static bool is_kept(const char *name)
{
  return strncmp(name, "user.", 5) == 0 || strncmp(name, "system.posix_acl_", 17) == 0 ||
    strcmp(name, "security.capability") == 0;
}

static bool put_values(struct writer *out, const char *path, int file, const char *names, size_t length)
{
  size_t start = out->length;
  for (const char *name = names; name < names + length; name += strlen(name) + 1) {
    size_t name_length = strlen(name);
    if (!is_kept(name) || name_length > UINT8_MAX)
      continue;
    size_t used = out->length - start + 1 + name_length + 4;
    if (used >= MAX_XATTRS)
      return false;
    put_u8(out, (uint8_t)name_length);
    memcpy(out->bytes + out->length, name, name_length);
    uint8_t *value = out->bytes + out->length + name_length + 4;
    size_t room = MAX_XATTRS - used;
    ssize_t count = file >= 0 ? fgetxattr(file, name, value, room) : lgetxattr(path, name, value, room);
    if (count < 0)
      return false;
    out->length += name_length;
    put_u32(out, (uint32_t)count);
    out->length += (size_t)count;
  }
  return true;
}

static ssize_t list_at_most(const char *path, int file, char *names, size_t length)
{
  return file >= 0 ? flistxattr(file, names, length) : llistxattr(path, names, length);
}

static ssize_t list_names(const char *path, int file, char names[MAX_NAMES])
{
  ssize_t length = list_at_most(path, file, names, FEW_NAMES);
  return length < 0 && errno == ERANGE ? list_at_most(path, file, names, MAX_NAMES) : length;
}

bool put_xattrs(struct writer *out, const char *path, int file)
{
  char names[MAX_NAMES];
  size_t start = out->length;
  ssize_t length = list_names(path, file, names);
  bool is_whole = length >= 0 || errno == ENOTSUP;
  put_u32(out, 0);
  if (length > 0)
    is_whole = put_values(out, path, file, names, (size_t)length);
  size_t end = is_whole ? out->length : start + 4;
  out->length = start;
  put_u32(out, (uint32_t)(end - start - 4));
  out->length = end;
  return is_whole;
}

/* The value of a name in a list; NULL without it. A list that is cut has no more names. */
static const uint8_t *find(const uint8_t *list, uint32_t length, const char *name, uint32_t *value_length)
{
  size_t wanted = strlen(name);
  for (uint32_t at = 0; at < length;) {
    uint32_t name_length = list[at];
    if (length - at < 1 + name_length + 4)
      return NULL;
    uint32_t count = read_u32(list + at + 1 + name_length);
    if (length - at - 1 - name_length - 4 < count)
      return NULL;
    if (name_length == wanted && memcmp(list + at + 1, name, wanted) == 0) {
      *value_length = count;
      return list + at + 1 + name_length + 4;
    }
    at += 1 + name_length + 4 + count;
  }
  return NULL;
}

static int remove_others(const char *path, const uint8_t *list, uint32_t length)
{
  char names[MAX_NAMES];
  ssize_t there = listxattr(path, names, sizeof names);
  if (there < 0)
    return errno == ENOTSUP ? 0 : errno;
  uint32_t ignored;
  for (const char *name = names; name < names + there; name += strlen(name) + 1)
    if (is_kept(name) && find(list, length, name, &ignored) == NULL && removexattr(path, name) < 0 && errno != ENODATA)
      return errno;
  return 0;
}

static bool is_there(const char *path, const char *name, const uint8_t *value, uint32_t length)
{
  uint8_t there[4096];
  return length <= sizeof there && getxattr(path, name, there, sizeof there) == (ssize_t)length &&
    memcmp(there, value, length) == 0;
}

int set_xattrs(const char *path, const uint8_t *list, uint32_t length)
{
  int error = remove_others(path, list, length);
  for (uint32_t at = 0; error == 0 && at < length;) {
    char name[UINT8_MAX + 1];
    uint32_t name_length = list[at];
    if (length - at < 1 + name_length + 4)
      return EINVAL;
    memcpy(name, list + at + 1, name_length);
    name[name_length] = '\0';
    uint32_t count = read_u32(list + at + 1 + name_length);
    const uint8_t *value = list + at + 1 + name_length + 4;
    if (length - at - 1 - name_length - 4 < count || !is_kept(name))
      return EINVAL;
    if (!is_there(path, name, value, count) && setxattr(path, name, value, count, 0) < 0)
      error = errno;
    at += 1 + name_length + 4 + count;
  }
  return error;
}
