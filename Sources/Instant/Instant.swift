// The public client library: clients, document descriptors and events, over a SQLite store and an HTTP
// transport. Decisions are taken in InstantCore; what is here performs them.
