#ifndef KEEPER_ENDED_FILE_H
#define KEEPER_ENDED_FILE_H

#include "process/process.h"

/* The files of a runtime directory that say how processes ended. */
struct ended_files {
  const char *directory;
  /* Those to write, in the order of their ends, so that the first is due first. */
  struct process *first;
  struct process *last;
};

/*
 * Keeps the end of the process until FORGET, as one JSON object that exists whole or not at all; where the disk refuses
 * there is none. A connected client has 20 ms to send FORGET first, which saves writing most of these files.
 */
void ended_file_wanted(struct ended_files *files, struct process *process);
/* FORGET has come: removes the file, or does not write it. */
void ended_file_unwanted(struct ended_files *files, struct process *process);
/* Writes the files that are due, or all if no client is connected. Returns the ms until the next, -1: none. */
int ended_files_due(struct ended_files *files, int64_t now, bool has_client);

#endif
