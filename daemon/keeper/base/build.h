#ifndef KEEPER_BUILD_H
#define KEEPER_BUILD_H

/* Names the sources that this program was built from, so that the daemon notices a repaired one. */
#ifndef KEEPER_BUILD
#define KEEPER_BUILD "unnamed"
#endif

#endif
