// The server without the world: layers, their records and revisions, what becomes of a change, what a view gets to
// see, who is told of it, and the contract of the store beneath. Synchronous: no task, no clock, no socket, no disk;
// time and randomness are passed in.
//
// Store/    what is kept, and the contract of who keeps it
// Writing/  from a change to its answer, one transaction for each request
// Reading/  snapshots and deltas of one view
// Live/     listeners and what waits for each; who is there, and where
// Limits/   how often somebody may ask
