#ifndef CPTY_H
#define CPTY_H

#include <spawn.h>
#include <sys/types.h>

// Swift cannot call fork: a program on a terminal of its own is started here.

// The process id, and the terminal's other end in `master`; -1 with errno.
pid_t cpty_spawn(const char *path, char *const argv[], char *const envp[], const char *directory, int rows, int columns, int *master);

// Both ends of a terminal without a program. 0, or -1 with errno.
int cpty_open(int rows, int columns, int *master, int *slave);

// Runs `body` in a child of its own, which calls nothing but C: its process id.
pid_t cpty_fork(void (*body)(int), int argument);

// Of posix_spawn, what is not in every system: a child gets nothing but its three streams, and begins in this folder.
int cpty_close_rest(posix_spawn_file_actions_t *actions);
int cpty_change_folder(posix_spawn_file_actions_t *actions, const char *folder);

int cpty_resize(int master, int rows, int columns);

#endif
