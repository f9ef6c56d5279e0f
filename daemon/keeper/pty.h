#ifndef KEEPER_PTY_H
#define KEEPER_PTY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "frame.h"

/* Opens a terminal of that size: `own` does not block; `others` is the program's end and belongs to `account`. */
bool pty_open(int *own, int *others, uint16_t columns, uint16_t rows, const struct account *account);
bool pty_resize(int own, uint16_t columns, uint16_t rows);
/* The foreground group; 0 where there is none. */
pid_t pty_foreground(int own);

#endif
