#include "tree/exclude.h"

#include <limits.h>
#include <string.h>

#define MAX_PATTERN 256

/*
 * Keeps the set of positions in the pattern that the text so far may have reached: no text needs more steps than the
 * product of both lengths.
 */
struct positions {
  bool at[MAX_PATTERN + 1];
};

static bool is_deep(const char *pattern)
{
  return pattern[0] == '*' && pattern[1] == '*';
}

/* Adds a position with those that it reaches without a character. */
static void reach(struct positions *positions, const char *pattern, size_t position)
{
  while (!positions->at[position]) {
    positions->at[position] = true;
    if (pattern[position] != '*')
      return;
    if (is_deep(pattern + position)) {
      /* `**` with its slash is any number of directories, also none. */
      if (pattern[position + 2] == '/')
        reach(positions, pattern, position + 3);
      position += 2;
    } else {
      position += 1;
    }
  }
}

static void step(const struct positions *from, struct positions *to, const char *pattern, char c)
{
  memset(to, 0, sizeof *to);
  for (size_t i = 0; pattern[i] != '\0'; i++) {
    if (!from->at[i])
      continue;
    if (is_deep(pattern + i))
      reach(to, pattern, i);
    else if (pattern[i] == '*' && c != '/')
      reach(to, pattern, i);
    else if ((pattern[i] == '?' && c != '/') || (pattern[i] == c && c != '*'))
      reach(to, pattern, i + 1);
  }
}

bool matches_pattern(const char *pattern, const char *path)
{
  size_t length = strlen(pattern);
  if (length == 0 || length > MAX_PATTERN)
    return false;
  const char *slash = strrchr(path, '/');
  const char *text = strchr(pattern, '/') == NULL && slash != NULL ? slash + 1 : path;
  struct positions both[2];
  memset(both, 0, sizeof both);
  reach(&both[0], pattern, 0);
  int now = 0;
  for (; *text != '\0'; text++, now = 1 - now)
    step(&both[now], &both[1 - now], pattern, *text);
  return both[now].at[length];
}
