// The pure half of the terminal: cells, canvas, areas, styles, themes, keys and their decoding, text width, clean text.
// Performs no I/O; a drawn screen is a value that tests compare. Not here: the terminal itself (Terminal), views (App).
