// The server without I/O: layers, records and revisions, decisions on changes, views, event queues, and the contract
// of the store. Synchronous: no tasks, clocks, sockets or disk; time and randomness are parameters.
//
// Store/    stored types and the store contract
// Writing/  from a change to its answer, one transaction per request
// Reading/  snapshots, deltas and digests of one view
// Copying/  copies and removals in several transactions
// Live/     listeners, their event queues, and presence
// Limits/   rate limiting
