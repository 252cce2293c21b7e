#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stddef.h>

// Code that must be written in C: signal handlers, and restoring the terminal from inside one.

// Both ends are close-on-exec and non-blocking. Returns 0, or -1 with errno.
int ct_pipe(int ends[2]);

// Returns 0, or -1 if `fd` is not a terminal. A number that the terminal does not know is 0.
int ct_window_size(int fd, int *rows, int *columns);

// Size of a cell in pixels, 0 if the terminal does not report it; -1 if `fd` is not a terminal or has no size.
int ct_cell_size(int fd, int *width, int *height);

// Installs handlers for SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGCONT and SIGTSTP that only write the signal number, as
// one byte, to a pipe. Call before ncurses starts: it leaves existing handlers alone. Returns the reading end, or -1
// with errno.
int ct_watch_signals(void);

// For use while another program has the terminal: Ctrl-Z stops this program too, Ctrl-C affects only the other one.
// `ct_watch_signals` reverts this.
void ct_lend_signals(void);

// For use while the program saves its data: SIGTERM and SIGHUP have no effect, because a second one often follows the
// first when a window is closed. The others regain their previous handlers, so that Ctrl-C ends a program that hangs.
void ct_unwatch_keys(void);

// Restores all previous handlers.
void ct_unwatch_signals(void);

// Stops this process as Ctrl-Z does, and also the rest of its process group unless this process leads the group.
// Returns when continued.
void ct_stop(void);

// Saves the terminal's current mode. When the program crashes (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT) or
// exits without closing the terminal, writes the text set by `ct_guard_text` and restores that mode. Returns -1 if `fd`
// is not a terminal.
int ct_guard(int fd);
void ct_guard_text(const unsigned char *text, size_t length);

// Ends the guard after the terminal has been restored normally.
void ct_unguard(void);

// Writes the text and sets the saved mode, once. Async-signal-safe.
void ct_restore(void);

#endif
