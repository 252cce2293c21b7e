// The pure half of a terminal: cells, styles, keys, layout, text width. Nothing here knows that a
// terminal exists; what is drawn is a value that tests compare.
