// The server without the world: layers, change log, decisions, views, fan-out and the contract of its
// store. Synchronous: no task, no clock, no socket, no disk.
