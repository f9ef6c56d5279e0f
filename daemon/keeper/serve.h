#ifndef KEEPER_SERVE_H
#define KEEPER_SERVE_H

#include <stdbool.h>
#include <stdint.h>

struct serve_options {
  const char *directory;
  /* Goes to the background once it listens, and ends after `idle_ms` without a client and without live processes. */
  bool detach;
  int64_t idle_ms;
  /* For programs of accounts other than root. */
  bool no_new_privileges;
};

/* `keeper serve`: returns the status to exit with. */
int serve(const struct serve_options *options);

#endif
