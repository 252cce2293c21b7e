#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int ct_pipe(int ends[2]) {
#ifdef __linux__
    return pipe2(ends, O_CLOEXEC | O_NONBLOCK);
#else
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    return 0;
#endif
}

int ct_window_size(int fd, int *rows, int *columns) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return 0;
}

int ct_cell_size(int fd, int *width, int *height) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return -1;
    *width = size.ws_xpixel / size.ws_col;
    *height = size.ws_ypixel / size.ws_row;
    return 0;
}

static const int watched[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGCONT, SIGTSTP};
enum { watched_count = sizeof watched / sizeof watched[0] };
static struct sigaction before[watched_count];
static int signal_pipe[2] = {-1, -1};
static int is_watching = 0;

static void note_signal(int number) {
    int error = errno;
    unsigned char byte = (unsigned char)number;
    // A full pipe drops the byte; the reader then still has unread signals to handle.
    ssize_t written = write(signal_pipe[1], &byte, 1);
    (void)written;
    errno = error;
}

static void handle(int number, void (*handler)(int), struct sigaction *old) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, old);
}

int ct_watch_signals(void) {
    if (signal_pipe[0] < 0 && ct_pipe(signal_pipe) != 0) return -1;
    for (int i = 0; i < watched_count; i++) handle(watched[i], note_signal, is_watching ? NULL : &before[i]);
    is_watching = 1;
    return signal_pipe[0];
}

// A handler that does nothing, instead of SIG_IGN, which the other program would inherit.
static void let_pass(int number) {
    (void)number;
}

void ct_lend_signals(void) {
    handle(SIGTSTP, SIG_DFL, NULL);
    handle(SIGINT, let_pass, NULL);
}

void ct_unwatch_keys(void) {
    if (!is_watching) return;
    for (int i = 0; i < watched_count; i++)
        if (watched[i] != SIGTERM && watched[i] != SIGHUP) sigaction(watched[i], &before[i], NULL);
}

void ct_unwatch_signals(void) {
    if (!is_watching) return;
    for (int i = 0; i < watched_count; i++) sigaction(watched[i], &before[i], NULL);
    is_watching = 0;
    unsigned char byte;
    while (read(signal_pipe[0], &byte, 1) == 1) {}
}

void ct_stop(void) {
    struct sigaction ours;
    // Stop the rest of the process group first, such as a script or make that started this program. This process
    // ignores that signal: otherwise another thread could handle it, and not before this one has drawn again. This
    // thread then stops the process by a signal to itself, before raise returns. A group leader signals only itself: a
    // child stopped between fork and exec would block the thread that waits for it.
    handle(SIGTSTP, SIG_IGN, &ours);
    if (getpgrp() != getpid()) kill(0, SIGTSTP);
    // The thread may belong to a pool where all signals are blocked.
    handle(SIGTSTP, SIG_DFL, NULL);
    sigset_t stop, blocked;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, &blocked);
    raise(SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    sigaction(SIGTSTP, &ours, NULL);
}
