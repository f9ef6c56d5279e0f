#include "base/runtime-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/frame.h"
#include "base/log.h"

#define TEXT_OF(number) #number
#define NAME_OF(version, suffix) "keeper-v" TEXT_OF(version) suffix
#define SOCKET_NAME NAME_OF(PROTOCOL_VERSION, ".sock")
#define LOCK_NAME NAME_OF(PROTOCOL_VERSION, ".lock")
#define BACKLOG 128
/* The longest path below the directory. */
#define NAME_ROOM 256
/* ms to wait for a keeper that is ending and does not listen any more. */
#define ENDING_MS 15000
#define LOOK_MS 10

static char *inside(const char *directory, const char *name)
{
  size_t size = strlen(directory) + strlen(name) + 2;
  char *path = malloc(size);
  if (path == NULL)
    log_fatal("malloc", NULL);
  snprintf(path, size, "%s/%s", directory, name);
  return path;
}

static char *subdirectory(const char *directory, const char *name)
{
  char *path = inside(directory, name);
  if (mkdir(path, 0700) < 0 && errno != EEXIST)
    log_fatal("mkdir", path);
  return path;
}

static bool is_answered(void)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET_NAME};
  int asking = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (asking < 0)
    log_fatal("socket", NULL);
  bool answered = connect(asking, (struct sockaddr *)&address, sizeof address) == 0 ||
                  (errno != ENOENT && errno != ECONNREFUSED);
  close(asking);
  return answered;
}

/* The keeper holds the lock until it ends; the fork to the background inherits it. */
static void lock(void)
{
  int file = open(LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    log_fatal("open", LOCK_NAME);
  int64_t until = monotonic_ms() + ENDING_MS;
  while (flock(file, LOCK_EX | LOCK_NB) < 0) {
    int error = errno;
    if (error == EINTR)
      continue;
    if (error != EWOULDBLOCK || is_answered() || monotonic_ms() >= until) {
      errno = error;
      log_fatal("another keeper serves here", LOCK_NAME);
    }
    poll(NULL, 0, LOOK_MS);
  }
}

/* By a relative name, since the path of a socket is limited to 107 bytes. */
static int listen_here(void)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET_NAME};
  if (unlink(SOCKET_NAME) < 0 && errno != ENOENT)
    log_fatal("unlink", SOCKET_NAME);
  int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0)
    log_fatal("socket", NULL);
  if (bind(listening, (struct sockaddr *)&address, sizeof address) < 0)
    log_fatal("bind", SOCKET_NAME);
  if (chmod(SOCKET_NAME, 0600) < 0)
    log_fatal("chmod", SOCKET_NAME);
  if (listen(listening, BACKLOG) < 0)
    log_fatal("listen", SOCKET_NAME);
  return listening;
}

int runtime_dir_open(const char *path, struct runtime_dir *dir)
{
  char *directory = realpath(path, NULL);
  if (directory == NULL || chdir(directory) < 0)
    log_fatal("cannot use", path);
  if (strlen(directory) + NAME_ROOM > PATH_MAX) {
    errno = ENAMETOOLONG;
    log_fatal("cannot use", path);
  }
  lock();
  *dir = (struct runtime_dir){
      .output = subdirectory(directory, "output"),
      .ended = subdirectory(directory, "ended"),
      .socket = inside(directory, SOCKET_NAME),
  };
  int listening = listen_here();
  struct stat socket;
  if (lstat(SOCKET_NAME, &socket) < 0)
    log_fatal("lstat", SOCKET_NAME);
  dir->socket_device = socket.st_dev;
  dir->socket_inode = socket.st_ino;
  if (chdir("/") < 0)
    log_fatal("chdir", "/");
  free(directory);
  return listening;
}

void runtime_dir_leave(const struct runtime_dir *dir)
{
  struct stat socket;
  if (lstat(dir->socket, &socket) == 0 && socket.st_dev == dir->socket_device && socket.st_ino == dir->socket_inode)
    unlink(dir->socket);
}
