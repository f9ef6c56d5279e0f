#ifndef INIT_H
#define INIT_H

/*
 * The first process of a container (docs/embedding.md): it starts the services beside a command, passes signals on to
 * the command, reaps what has lost its parent, starts the services again if they end, and ends them after the command.
 * Both are arguments that end with NULL; `command` may be NULL: the services alone. Returns the exit code: that of the
 * command, or 128 and the number of the signal that ended it. Services that cannot start end the command too, and their
 * code is the one that is returned. `advice` is said of a program that is there and that the system does not run.
 */
int init_run(char **services, char **command, const char *advice);

#endif
