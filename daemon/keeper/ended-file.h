#ifndef KEEPER_ENDED_FILE_H
#define KEEPER_ENDED_FILE_H

#include "process.h"

void ended_files_open(const char *directory);
/* How it ended, as one JSON object that is there whole or not at all. A disk that refuses leaves none. */
void ended_file_write(const struct process *process);
void ended_file_remove(const char *id);

#endif
