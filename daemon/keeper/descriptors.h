#ifndef KEEPER_DESCRIPTORS_H
#define KEEPER_DESCRIPTORS_H

/* Closes those that are open, which become -1; errno stays. */
void close_all(int *descriptors, int count);
/* Closes all from this number on. */
void close_from(int first);

#endif
