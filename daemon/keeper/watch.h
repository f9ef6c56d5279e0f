#ifndef KEEPER_WATCH_H
#define KEEPER_WATCH_H

/* `keeper watch`: inotify over stdin and stdout (docs/keeper.md); returns the status to exit with. */
int watch(void);

#endif
