#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build.h"
#include "serve.h"

#define IDLE_MS 10000

static int usage(void)
{
  fputs("usage: keeper serve [--detach] [--idle MS] [--no-new-privileges] DIR\n       keeper version\n", stderr);
  return 2;
}

/* A number of ms; -1 if the text is not one. */
static int64_t milliseconds(const char *text)
{
  char *end;
  long value = strtol(text, &end, 10);
  return *text == '\0' || *end != '\0' || value < 0 || value > 86400000 ? -1 : value;
}

static int serve_command(int count, char **arguments)
{
  struct serve_options options = {.idle_ms = IDLE_MS};
  int i = 0;
  for (; i < count && strncmp(arguments[i], "--", 2) == 0; i++) {
    if (strcmp(arguments[i], "--detach") == 0)
      options.detach = true;
    else if (strcmp(arguments[i], "--no-new-privileges") == 0)
      options.no_new_privileges = true;
    else if (strcmp(arguments[i], "--idle") == 0 && i + 1 < count)
      options.idle_ms = milliseconds(arguments[++i]);
    else
      return usage();
  }
  if (i + 1 != count || options.idle_ms < 0)
    return usage();
  options.directory = arguments[i];
  return serve(&options);
}

int main(int count, char **arguments)
{
  if (count >= 2 && strcmp(arguments[1], "serve") == 0)
    return serve_command(count - 2, arguments + 2);
  if (count == 2 && strcmp(arguments[1], "version") == 0)
    return puts(KEEPER_BUILD) < 0;
  return usage();
}
