#ifndef CPTY_H
#define CPTY_H

#include <spawn.h>
#include <sys/types.h>

// Swift cannot call fork: this starts a program on a new terminal.

// Returns the process id, and the terminal's other end in `master`; -1 with errno.
pid_t cpty_spawn(const char *path, char *const argv[], char *const envp[], const char *directory, int rows, int columns, int *master);

// Opens both ends of a terminal without a program. Returns 0, or -1 with errno.
int cpty_open(int rows, int columns, int *master, int *slave);

// Runs `body` in a new child, which calls only C. Returns its process id.
pid_t cpty_fork(void (*body)(int), int argument);

// The parts of posix_spawn that some systems lack: the child inherits only its three streams, and starts in this
// folder.
int cpty_close_rest(posix_spawn_file_actions_t *actions);
int cpty_change_folder(posix_spawn_file_actions_t *actions, const char *folder);

int cpty_resize(int master, int rows, int columns);

#endif
