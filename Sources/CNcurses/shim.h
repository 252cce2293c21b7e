#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H
#include <curses.h>
#endif
