#ifndef KEEPER_DESCRIPTORS_H
#define KEEPER_DESCRIPTORS_H

/* The highest descriptor that a child is given; the keeper has /dev/null there. */
#define LAST_OCCUPIED 4

/* Closes those that are open, which become -1; errno stays. */
void close_all(int *descriptors, int count);
/* Closes all from this number on. */
void close_from(int first);
/* Keeps 0 to LAST_OCCUPIED occupied, so that dup2 for a child hits none of the keeper; closes the other inherited. */
void arrange_descriptors(void);

#endif
