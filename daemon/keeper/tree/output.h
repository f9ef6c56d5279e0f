#ifndef KEEPER_TREE_OUTPUT_H
#define KEEPER_TREE_OUTPUT_H

#include "tree/tree.h"

/* Sends the answers; contents that they name are in descriptor 3 before. The program ends if neither can be done. */
void send_answers(struct tree *tree);
/* Waits until they are sent. */
void finish_answers(struct tree *tree);
/* Sends answers where less than `bytes` are free. */
void make_room(struct tree *tree, size_t bytes);
/* The end of one request. `error` is an errno, 0 without one. */
void put_done(struct tree *tree, uint32_t request, int error);
/* A failure after which nothing more is answered, in place of what is not sent yet; the program ends. */
_Noreturn void fail(struct tree *tree, const char *what, int error);

#endif
