#ifndef KEEPER_LISTENER_H
#define KEEPER_LISTENER_H

/* Takes a socket that listens; whoever connects and is of the keeper's own account becomes a connection. */
void listen_on(int listening);

#endif
