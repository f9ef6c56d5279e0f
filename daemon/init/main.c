#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "init.h"

#define ADVICE "it does not run here: it needs glibc 2.28 or newer and a processor of its own kind"

/* The directory above that of this program: it has `bin/node` and `product`. */
static char *root_directory(void)
{
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) {
    fprintf(stderr, "sandbox: /proc/self/exe: %s\n", strerror(errno));
    exit(1);
  }
  path[length] = '\0';
  for (int i = 0; i < 2; i++) {
    char *slash = strrchr(path, '/');
    if (slash != NULL)
      *slash = '\0';
  }
  char *root = strdup(path);
  if (root != NULL)
    return root;
  fputs("sandbox: no memory\n", stderr);
  exit(1);
}

static char *in_root(const char *root, const char *name)
{
  char *path;
  if (asprintf(&path, "%s/%s", root, name) >= 0)
    return path;
  fputs("sandbox: no memory\n", stderr);
  exit(1);
}

/* `program` with `arguments` behind it, up to the first NULL. */
static char **joined(char **program, size_t length, char **arguments)
{
  size_t count = 0;
  while (arguments[count] != NULL)
    count++;
  char **all = calloc(length + count + 1, sizeof *all);
  if (all == NULL) {
    fputs("sandbox: no memory\n", stderr);
    exit(1);
  }
  memcpy(all, program, length * sizeof *all);
  memcpy(all + length, arguments, count * sizeof *all);
  return all;
}

/* The arguments behind the first `--`, which becomes the end of those before it; NULL if there are none. */
static char **take_command(char **arguments)
{
  for (; *arguments != NULL; arguments++) {
    if (strcmp(*arguments, "--") != 0)
      continue;
    *arguments = NULL;
    return arguments[1] == NULL ? NULL : arguments + 1;
  }
  return NULL;
}

static int serve(const char *root, char *node, char **arguments)
{
  char **command = take_command(arguments);
  char *launcher = in_root(root, "product/serve.mjs");
  /* The first process of a container listens as the images do; an option that follows has the last word. */
  if (getpid() == 1 && getenv("GATEWAY_HOST") == NULL) {
    char *everywhere[] = {node, launcher, "--host", "0.0.0.0"};
    return init_run(joined(everywhere, 4, arguments), command, ADVICE);
  }
  char *program[] = {node, launcher};
  return init_run(joined(program, 2, arguments), command, ADVICE);
}

/* `sandbox serve [OPTION...] [-- COMMAND [ARGUMENT...]]` starts the services; anything else is the command line. */
int main(int count, char **arguments)
{
  const char *root = root_directory();
  char *node = in_root(root, "bin/node");
  if (count >= 2 && strcmp(arguments[1], "serve") == 0)
    return serve(root, node, arguments + 2);
  /* Without the threads of V8, which a short program does not use. */
  char *program[] = {node, "--v8-pool-size=0", in_root(root, "product/sandbox.cjs")};
  execv(node, joined(program, 3, arguments + (count > 0 ? 1 : 0)));
  /* Without its C library the error of the system would name Node itself. */
  fprintf(stderr, "sandbox: %s: %s\n", node, access(node, X_OK) == 0 ? ADVICE : strerror(errno));
  return 126;
}
