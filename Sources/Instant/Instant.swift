// The client library: clients, descriptors, documents and events, and the code that performs what InstantCore decides.
// Decisions about records, permissions and conflicts belong in InstantCore, everything about terminals in other
// modules.
//
// - API: the public types.
// - Session: the performer of one layer, its events and timers.
// - Store: the SQLite store of one layer.
// - Transport: HTTP requests, live channels, and the watch for network changes.
// - Files: the data folder: PDFs and their download, attachments, locks.
//
// `import Instant` suffices for a program: it re-exports the modules whose types its API uses.
@_exported public import Annotations
@_exported public import Authorization
@_exported public import InstantCore

@_exported public import enum SyncProtocol.ChangeKind
