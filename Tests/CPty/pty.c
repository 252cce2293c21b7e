#define _GNU_SOURCE
#include "CPty.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct winsize window(int rows, int columns) {
    struct winsize size;
    memset(&size, 0, sizeof size);
    size.ws_row = (unsigned short)rows;
    size.ws_col = (unsigned short)columns;
    return size;
}

static void forget_signals(void) {
    // Threads of a test run block signals, and a child inherits the mask.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
}

pid_t cpty_fork(void (*body)(int), int argument) {
    pid_t child = fork();
    if (child == 0) {
        forget_signals();
        body(argument);
        _exit(0);
    }
    return child;
}

pid_t cpty_spawn(const char *path, char *const argv[], char *const envp[], const char *directory, int rows, int columns, int *master) {
    struct winsize size = window(rows, columns);
    pid_t child = forkpty(master, NULL, NULL, &size);
    if (child == 0) {
        forget_signals();
        for (int fd = 3; fd < 1024; fd++) close(fd);
        if (directory != NULL && chdir(directory) != 0) _exit(126);
        execve(path, argv, envp);
        _exit(127);
    }
    if (child > 0) fcntl(*master, F_SETFD, FD_CLOEXEC);
    return child;
}

int cpty_open(int rows, int columns, int *master, int *slave) {
    struct winsize size = window(rows, columns);
    if (openpty(master, slave, NULL, NULL, &size) != 0) return -1;
    fcntl(*master, F_SETFD, FD_CLOEXEC);
    fcntl(*slave, F_SETFD, FD_CLOEXEC);
    return 0;
}

int cpty_resize(int master, int rows, int columns) {
    struct winsize size = window(rows, columns);
    return ioctl(master, TIOCSWINSZ, &size);
}
