#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stddef.h>

// What has to be C: signal handlers, and restoring the terminal from inside one.

// Both ends close on exec and do not block. 0, or -1 with errno.
int ct_pipe(int ends[2]);

// 0, or -1 when `fd` is no terminal. Either number is 0 when the terminal does not know it.
int ct_window_size(int fd, int *rows, int *columns);

// Pixels of a cell, 0 where the terminal does not tell; -1 with errno when `fd` is no terminal.
int ct_cell_size(int fd, int *width, int *height);

// From now on SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGCONT and SIGTSTP only write their number, one byte, into a pipe.
// To be called before ncurses starts: it leaves alone what is already handled. The end to read, or -1 with errno.
int ct_watch_signals(void);

// While another program has the terminal: Ctrl-Z stops this one with it, Ctrl-C is that one's alone.
// `ct_watch_signals` ends it.
void ct_lend_signals(void);

// While the program still writes what it has to keep: SIGTERM and SIGHUP do nothing, a second of which often follows
// the first when a window is closed. The others do what they did before, so that Ctrl-C ends a program that hangs.
void ct_unwatch_keys(void);

// All of them do what they did before.
void ct_unwatch_signals(void);

// Stops the process group as Ctrl-Z does; returns when it is continued.
void ct_stop(void);

// Remembers the terminal's mode as it is now, and what to write to it, so that it is restored when the program
// crashes (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT) or exits without having closed the terminal.
// -1 when `fd` is no terminal.
int ct_guard(int fd);
void ct_guard_text(const unsigned char *text, size_t length);

// No longer needed: the terminal was restored in order.
void ct_unguard(void);

// Writes the text and sets the mode remembered, once. Safe in a signal handler.
void ct_restore(void);

#endif
