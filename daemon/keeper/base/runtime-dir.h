#ifndef KEEPER_RUNTIME_DIR_H
#define KEEPER_RUNTIME_DIR_H

#include <sys/types.h>

/* Absolute paths inside the runtime directory; they are never freed. */
struct runtime_dir {
  char *output;
  char *ended;
  char *socket;
  dev_t socket_device;
  ino_t socket_inode;
};

/*
 * Makes the subdirectories, locks the directory for this protocol version, and listens; waits for a keeper that is
 * ending. Where that fails or another keeper serves there, the program ends after a line on stderr. Returns the socket.
 */
int runtime_dir_open(const char *path, struct runtime_dir *dir);

/* Removes the socket, unless it belongs to another keeper, because the directory was made again. */
void runtime_dir_leave(const struct runtime_dir *dir);

#endif
