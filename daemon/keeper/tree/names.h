#ifndef KEEPER_TREE_NAMES_H
#define KEEPER_TREE_NAMES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

/* Names of one directory, or paths that are left to be walked: texts one after another, and where each begins. */
struct names {
  char *texts;
  size_t length;
  size_t capacity;
  size_t *starts;
  size_t count;
  size_t room;
};

/* False if memory is short, or beyond 256 MiB. */
bool add_name(struct names *names, const char *text);
/* Removes the last one and copies it to `text`, which has room for PATH_MAX bytes. */
void take_last(struct names *names, char *text);
const char *name_at(const struct names *names, size_t index);
/* Sorts by bytes; the text of the names stays where it is. */
void sort_names(struct names *names);
void clear_names(struct names *names);

#endif
