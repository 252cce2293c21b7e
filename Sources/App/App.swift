// The pure half of the product: state, messages, update, views and keymap, and the one runner of effects.
// Nothing here opens a socket, a file or a terminal.
