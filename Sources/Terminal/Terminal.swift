// The impure half of the terminal: ncurses, raw input, signals, resize, suspend, pictures, clipboard. The only module
// that imports CNcurses. Not here: cells, styles and key decoding (Screen), views (App).
