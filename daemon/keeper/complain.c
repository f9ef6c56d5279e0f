#include "complain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

/* So that what fails again and again does not fill the disk with its log. */
#define MAX_LINES 10000u

void complain(const char *what, const char *subject)
{
  const char *reason = strerror(errno);
  if (figures.complaints++ >= MAX_LINES)
    return;
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
