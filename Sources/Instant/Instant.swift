// The client library: clients, descriptors and their events, with what they stand on: the SQLite store, the HTTP
// transport, the download of PDFs and the performer that does what InstantCore decides. No decision about a record,
// a right or a conflict is made here, and nothing here knows a terminal.
//
// `import Instant` is all that a program needs: the nouns and rights that its surface speaks of come with it.
@_exported public import Annotations
@_exported public import Authorization
@_exported public import InstantCore

@_exported public import enum SyncProtocol.ChangeKind
