#include "tree/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* openat2(2), for C libraries without the headers of the kernel. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS 0x04
#define RESOLVE_BENEATH 0x08
struct open_how {
  uint64_t flags;
  uint64_t mode;
  uint64_t resolve;
};

static bool is_plain(const char *name, size_t length)
{
  return length > 0 && length <= NAME_MAX && !(length <= 2 && name[0] == '.' && name[length - 1] == '.');
}

/* One part after the other, for kernels and sandboxes without openat2(2). */
static int open_by_parts(int root, const char *path, int flags)
{
  int at = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  while (at >= 0) {
    const char *end = strchrnul(path, '/');
    char name[NAME_MAX + 1];
    size_t length = (size_t)(end - path);
    if (!is_plain(path, length)) {
      close(at);
      errno = EINVAL;
      return -1;
    }
    memcpy(name, path, length);
    name[length] = '\0';
    bool is_last = *end == '\0';
    int next = openat(at, name, (is_last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC);
    int error = errno;
    close(at);
    errno = error;
    if (is_last)
      return next;
    at = next;
    path = end + 1;
  }
  return -1;
}

int open_beneath(struct tree *tree, const char *path, int flags)
{
  if (path[0] == '\0')
    return openat(tree->root, ".", flags | O_CLOEXEC);
  if (tree->may_use_openat2) {
    struct open_how how = {
      .flags = (uint64_t)(unsigned)(flags | O_NOFOLLOW | O_CLOEXEC),
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int found = (int)syscall(SYS_openat2, tree->root, path, &how, sizeof how);
    /* EAGAIN also is the answer to a rename on the way: the other form decides. */
    if (found >= 0 || (errno != ENOSYS && errno != EPERM && errno != EAGAIN && errno != E2BIG))
      return found;
    if (errno == ENOSYS)
      tree->may_use_openat2 = false;
  }
  return open_by_parts(tree->root, path, flags);
}

int open_parent(struct tree *tree, const char *path, const char **name)
{
  char parent[PATH_MAX];
  const char *slash = strrchr(path, '/');
  *name = slash == NULL ? path : slash + 1;
  size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  if (!is_plain(*name, strlen(*name)) || length >= sizeof parent) {
    errno = EINVAL;
    return -1;
  }
  memcpy(parent, path, length);
  parent[length] = '\0';
  return open_beneath(tree, parent, O_RDONLY | O_DIRECTORY);
}
