// The user interface as pure code: the state of the program (`AppState`), its input events (`Message`), its requests
// for I/O (`Effect`), the `update` function, the views and the keymap. `Program` connects them; `AppServices` performs
// the effects. Nothing here opens a socket, a file or a terminal, reads a clock or starts a task.
//
// - Boundary: edits, layer references and opened layers, shared with the services.
// - Conflict: the conflict card and its resolution.
// - Dispatch: key, mouse and command handling, denials, leaving, timers, reconciliation after each message.
// - Download: download of the PDF and arrival of its pages.
// - Editor: text editor, drafts, pending edits, undo, colours, ids of new records.
// - File: the layer's own PDF on disk: writing, reverting, merging, keys held until it can be edited.
// - Help: the help screen.
// - Keys: commands, key bindings, the keymap and user changes to it.
// - Library: the list of layers on this machine, and of PDFs to open.
// - List: the annotation list with filter, marks, batches, marked words, change highlights, refresh throttle.
// - Outbox: the list of unsent edits.
// - Page: the page pane with text, cursor, selection, links and page picture.
// - Picker: the fuzzy picker.
// - Plain: the line-oriented interface.
// - Presence: participants, presenting and following.
// - Prompt: one-line prompts, the command line, its history and completion.
// - Reader: state, layout and screen of an open layer, status line, footer, outline, jumps, sync reports.
// - Requests: the log of HTTP requests.
// - Search: search in the document and its text index.
// - Tabs: open layers and the tab bar.
// - Text: text input, fuzzy matching, times and byte counts.
// - Thread: the detail view and the comments of an annotation.
// - Token: the token card, permission changes, lost access.
