#include "tree/names.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (256u * 1024 * 1024)

bool add_name(struct names *names, const char *text)
{
  size_t length = strlen(text) + 1;
  if (names->length + length > names->capacity) {
    size_t wanted = 2 * (names->capacity + length);
    char *moved = wanted > MAX_BYTES ? NULL : realloc(names->texts, wanted);
    if (moved == NULL)
      return false;
    names->texts = moved;
    names->capacity = wanted;
  }
  if (names->count == names->room) {
    size_t room = 2 * (names->room + 64);
    size_t *moved = realloc(names->starts, room * sizeof *moved);
    if (moved == NULL)
      return false;
    names->starts = moved;
    names->room = room;
  }
  memcpy(names->texts + names->length, text, length);
  names->starts[names->count++] = names->length;
  names->length += length;
  return true;
}

void take_last(struct names *names, char *text)
{
  size_t start = names->starts[--names->count];
  memcpy(text, names->texts + start, names->length - start);
  names->length = start;
}

const char *name_at(const struct names *names, size_t index)
{
  return names->texts + names->starts[index];
}

static int compare(const void *a, const void *b, void *texts)
{
  const size_t *left = a;
  const size_t *right = b;
  return strcmp((const char *)texts + *left, (const char *)texts + *right);
}

void sort_names(struct names *names)
{
  if (names->count > 1)
    qsort_r(names->starts, names->count, sizeof *names->starts, compare, names->texts);
}

void clear_names(struct names *names)
{
  free(names->texts);
  free(names->starts);
  *names = (struct names){0};
}
