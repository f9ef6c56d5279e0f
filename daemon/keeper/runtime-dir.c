#include "runtime-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "complain.h"

#define SOCKET_NAME "keeper-v1.sock"
#define LOCK_NAME "keeper-v1.lock"
#define BACKLOG 8

static char *inside(const char *directory, const char *name)
{
  size_t size = strlen(directory) + strlen(name) + 2;
  char *path = malloc(size);
  if (path == NULL)
    give_up("malloc", NULL);
  snprintf(path, size, "%s/%s", directory, name);
  return path;
}

static char *subdirectory(const char *directory, const char *name)
{
  char *path = inside(directory, name);
  if (mkdir(path, 0700) < 0 && errno != EEXIST)
    give_up("mkdir", path);
  return path;
}

/* The lock lives as long as the keeper does, through its going to the background. */
static void lock(void)
{
  int file = open(LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    give_up("open", LOCK_NAME);
  if (flock(file, LOCK_EX | LOCK_NB) < 0)
    give_up("another keeper serves here", LOCK_NAME);
}

/* By its name alone, in the directory: the path of a socket may have 107 bytes only. */
static int listen_here(void)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET_NAME};
  if (unlink(SOCKET_NAME) < 0 && errno != ENOENT)
    give_up("unlink", SOCKET_NAME);
  int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0)
    give_up("socket", NULL);
  if (bind(listening, (struct sockaddr *)&address, sizeof address) < 0)
    give_up("bind", SOCKET_NAME);
  if (chmod(SOCKET_NAME, 0600) < 0)
    give_up("chmod", SOCKET_NAME);
  if (listen(listening, BACKLOG) < 0)
    give_up("listen", SOCKET_NAME);
  return listening;
}

int runtime_dir_open(const char *path, struct runtime_dir *dir)
{
  char *directory = realpath(path, NULL);
  if (directory == NULL || chdir(directory) < 0)
    give_up("cannot use", path);
  lock();
  *dir = (struct runtime_dir){
      .output = subdirectory(directory, "output"),
      .ended = subdirectory(directory, "ended"),
      .socket = inside(directory, SOCKET_NAME),
  };
  int listening = listen_here();
  struct stat socket;
  if (lstat(SOCKET_NAME, &socket) < 0)
    give_up("lstat", SOCKET_NAME);
  dir->socket_device = socket.st_dev;
  dir->socket_inode = socket.st_ino;
  if (chdir("/") < 0)
    give_up("chdir", "/");
  free(directory);
  return listening;
}

void runtime_dir_close(const struct runtime_dir *dir)
{
  struct stat socket;
  if (lstat(dir->socket, &socket) == 0 && socket.st_dev == dir->socket_device && socket.st_ino == dir->socket_inode)
    unlink(dir->socket);
}
