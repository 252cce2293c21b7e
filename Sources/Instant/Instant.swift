// The client library: clients, descriptors and their events, with what they stand on: the SQLite store, the HTTP
// transport, the download of PDFs and the performer that does what InstantCore decides. No decision about a record,
// a right or a conflict is made here, and nothing here knows a terminal.
