#ifndef KEEPER_REQUEST_H
#define KEEPER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "keeper.h"

/* Handles one frame after HELLO; false if it is not well formed. */
bool handle_request(struct keeper *keeper, uint64_t client, uint8_t type, struct reader *reader);

#endif
