#ifndef KEEPER_ENDED_FILE_H
#define KEEPER_ENDED_FILE_H

#include "process.h"

void ended_files_open(const char *directory);
/*
 * How it ended is to be kept until it is noted, as one JSON object that is there whole or not at all; a disk that refuses
 * leaves none. Where a client is connected it gets a moment to note it first, which spares most ends their file.
 */
void ended_file_wanted(struct process *process);
/* It was noted: there is no file, or none any more. */
void ended_file_unwanted(struct process *process);
/* Writes those whose moment is over, all of them where there is no client; ms until the next is due, -1 where none waits. */
int ended_files_due(int64_t now);

#endif
