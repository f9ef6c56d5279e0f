#ifndef KEEPER_OUTPUT_FILE_H
#define KEEPER_OUTPUT_FILE_H

#include <stdint.h>

/* Where the files of docs/output-log.md lie; `directory` has to stay. */
void output_open(const char *directory);
/* To be written, with `flags` of open(2) besides; makes the directory again where it is gone. -1 with errno. */
int output_file_open(const char *id, const char *kind, uint64_t number, int flags);
/* One that cannot be unlinked is found again by the daemon's retention. */
void output_file_discard(const char *id, const char *kind, uint64_t number);

#endif
