#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H

// Parts of ncurses that Swift cannot import: macros with arguments, mutable globals and variadic functions. A module
// map is built with the importer's flags, so the wide-character interface is requested here.
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#ifndef NCURSES_NOMACROS
#define NCURSES_NOMACROS 1
#endif
#include <curses.h>
#include <wchar.h>

// From term.h, which is not included because it defines macros such as `lines`, `tab` and `bell`, and includes
// termios, which Swift then treats as part of this module.
int setupterm(const char *type, int fd, int *found);
char *tigetstr(const char *name);

static const attr_t cn_bold = WA_BOLD;
static const attr_t cn_dim = WA_DIM;
static const attr_t cn_underline = WA_UNDERLINE;
static const attr_t cn_reverse = WA_REVERSE;
static const attr_t cn_italic = WA_ITALIC;

static inline WINDOW *cn_stdscr(void) { return stdscr; }
// wchar.h declares it only if X/Open is requested before any other include.
int wcwidth(wchar_t character);
static inline int cn_width(wchar_t character) { return wcwidth(character); }
static inline int cn_colors(void) { return COLORS; }
static inline int cn_color_pairs(void) { return COLOR_PAIRS; }
static inline int cn_rows(WINDOW *window) { return getmaxy(window); }
static inline int cn_columns(WINDOW *window) { return getmaxx(window); }

// Returns the capability's text; NULL if the terminal lacks the capability or no such capability exists.
static inline const char *cn_capability(const char *name) {
    const char *text = tigetstr(name);
    return text == (const char *)-1 ? NULL : text;
}

// Pairs beyond 32767 are passed through the pointer (ncurses 6.1 and later).
static inline int cn_set_cell(cchar_t *cell, const wchar_t *text, attr_t attributes, int pair) {
    return setcchar(cell, text, attributes, (short)(pair > 32767 ? 32767 : pair), &pair);
}

#endif
