#ifndef KEEPER_RUNTIME_DIR_H
#define KEEPER_RUNTIME_DIR_H

/* Absolute paths inside the runtime directory; they stay for good. */
struct runtime_dir {
  char *output;
  char *ended;
  char *socket;
};

/*
 * Makes what is missing in it, locks it for this protocol version, and listens. Ends the program, after a line on
 * stderr, where that fails or another keeper serves it already. The socket.
 */
int runtime_dir_open(const char *path, struct runtime_dir *dir);

#endif
