// The impure half of a terminal: ncurses, raw input, resize, suspend. The only importer of CNcurses.
