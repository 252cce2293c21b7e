#ifndef CVTERM_SHIM_H
#define CVTERM_SHIM_H

// The parts of libvterm that Swift cannot import: unions, bit fields, function-like macros, and C callbacks that record
// modes.
#include <stdint.h>
#include <string.h>
#include <vterm.h>

typedef struct {
    uint32_t characters[VTERM_MAX_CHARS_PER_CELL];
    int count;
    // 2 for the left half of a wide character.
    int width;
    int bold, underline, italic, reverse;
    // -1 for the terminal's default colour, 0 to 255 for a palette colour, else 0x1000000 + RGB.
    int foreground, background;
} cv_cell;

typedef struct {
    int is_alternate;
    int is_cursor_visible;
    int mouse;
} cv_modes;

static inline int cv_color(const VTermColor *color) {
    if (VTERM_COLOR_IS_DEFAULT_FG(color) || VTERM_COLOR_IS_DEFAULT_BG(color)) return -1;
    if (VTERM_COLOR_IS_INDEXED(color)) return color->indexed.idx;
    return 0x1000000 | color->rgb.red << 16 | color->rgb.green << 8 | color->rgb.blue;
}

static inline int cv_get_cell(VTermScreen *screen, int row, int column, cv_cell *out) {
    VTermScreenCell cell;
    VTermPos place = {.row = row, .col = column};
    memset(out, 0, sizeof *out);
    if (!vterm_screen_get_cell(screen, place, &cell)) return 0;
    // The right half of a wide character holds (uint32_t)-1.
    for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] && cell.chars[i] != (uint32_t)-1; i++)
        out->characters[out->count++] = cell.chars[i];
    out->width = cell.width;
    out->bold = cell.attrs.bold;
    out->underline = cell.attrs.underline;
    out->italic = cell.attrs.italic;
    out->reverse = cell.attrs.reverse;
    out->foreground = cv_color(&cell.fg);
    out->background = cv_color(&cell.bg);
    return 1;
}

static inline int cv_note_property(VTermProp property, VTermValue *value, void *user) {
    cv_modes *modes = user;
    switch (property) {
    case VTERM_PROP_ALTSCREEN: modes->is_alternate = value->boolean; break;
    case VTERM_PROP_CURSORVISIBLE: modes->is_cursor_visible = value->boolean; break;
    case VTERM_PROP_MOUSE: modes->mouse = value->number; break;
    default: break;
    }
    return 1;
}

static const VTermScreenCallbacks cv_callbacks = {.settermprop = cv_note_property};

// `modes` must live as long as the screen.
static inline void cv_note_modes(VTermScreen *screen, cv_modes *modes) {
    modes->is_cursor_visible = 1;
    vterm_screen_set_callbacks(screen, &cv_callbacks, modes);
}

static inline void cv_cursor(VTerm *terminal, int *row, int *column) {
    VTermPos place;
    vterm_state_get_cursorpos(vterm_obtain_state(terminal), &place);
    *row = place.row;
    *column = place.col;
}

#endif
