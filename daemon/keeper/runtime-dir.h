#ifndef KEEPER_RUNTIME_DIR_H
#define KEEPER_RUNTIME_DIR_H

#include <sys/types.h>

/* Absolute paths inside the runtime directory; they stay for good. */
struct runtime_dir {
  char *output;
  char *ended;
  char *socket;
  dev_t socket_device;
  ino_t socket_inode;
};

/*
 * Makes what is missing in it, locks it for this protocol version, and listens; waits for a keeper that is ending.
 * Ends the program, after a line on stderr, where that fails or another keeper serves it already. The socket.
 */
int runtime_dir_open(const char *path, struct runtime_dir *dir);

/* Removes the socket, unless the directory was made anew and another keeper's lies there. */
void runtime_dir_leave(const struct runtime_dir *dir);

#endif
