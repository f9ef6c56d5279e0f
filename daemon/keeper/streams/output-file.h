#ifndef KEEPER_OUTPUT_FILE_H
#define KEEPER_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* The files of docs/output-log.md for the output of one process; the texts are not copied. */
struct output_files {
  const char *directory;
  const char *id;
};

/* Opens for writing, with further `flags` of open(2); makes the directory again if it is gone. -1 with errno. */
int output_file_open(const struct output_files *files, const char *kind, uint64_t number, int flags);
/* The daemon's retention removes a file that cannot be unlinked here. */
void output_file_discard(const struct output_files *files, const char *kind, uint64_t number);

/* The arrival order of stdout and stderr. */
struct order {
  const struct output_files *files;
  int file;
  /* The stream that wrote last, -1 if none has. */
  int speaking;
  uint64_t count;
};

struct order order_of(const struct output_files *files);
/* Stream `speaks` has grown; `ends` are those of stdout and stderr. Whether there is a new entry. */
bool order_note(struct order *order, int speaks, const uint64_t ends[2]);
void order_close(struct order *order);
/* Unlinks its files. */
void order_discard(struct order *order);

#endif
