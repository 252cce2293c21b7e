// The pure half of the product: what the program shows (`AppState`), what happens to it (`Message`), what it asks of
// the world (`Effect`), `update`, the views and the keymap. `Program` ties them together; `AppServices` is the world.
// Nothing here opens a socket, a file or a terminal, reads a clock or starts a task.
