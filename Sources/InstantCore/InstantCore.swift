// The client without I/O: what a layer contains, what is sent, and how changes from the server are applied. All code is
// synchronous and deterministic; tasks, clocks, sockets and files belong in `Instant`, which performs the effects.
//
// - Layer: one layer as the user sees it; reading and editing.
// - Outbox: edits on their way to the server; conflicts and undo.
// - Receive: snapshots, deltas and live events; recovery and integrity checks.
// - Session: the state machines and the synchronizer that drives them.
// - Presence: who has the layer open.
// - Store: the contract of the local store and the values it stores.
// - Address: the addresses of servers.
