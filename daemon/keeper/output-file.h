#ifndef KEEPER_OUTPUT_FILE_H
#define KEEPER_OUTPUT_FILE_H

#include <stdint.h>

/* The directory of the files of docs/output-log.md; the text of `directory` is not copied. */
void output_open(const char *directory);
/* Opens for writing, with further `flags` of open(2); makes the directory again where it is gone. -1 with errno. */
int output_file_open(const char *id, const char *kind, uint64_t number, int flags);
/* The daemon's retention removes a file that cannot be unlinked here. */
void output_file_discard(const char *id, const char *kind, uint64_t number);

#endif
