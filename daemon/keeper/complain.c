#include "complain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void complain(const char *what, const char *subject)
{
  const char *reason = strerror(errno);
  if (subject == NULL)
    fprintf(stderr, "keeper: %s: %s\n", what, reason);
  else
    fprintf(stderr, "keeper: %s %s: %s\n", what, subject, reason);
}

void give_up(const char *what, const char *subject)
{
  complain(what, subject);
  exit(1);
}
