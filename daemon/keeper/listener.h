#ifndef KEEPER_LISTENER_H
#define KEEPER_LISTENER_H

/* Takes over a listening socket; peers of the keeper's own account become connections. */
void listen_on(int listening);

#endif
