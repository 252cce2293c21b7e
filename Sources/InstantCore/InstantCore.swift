// The client without the world: the layer a person sees, the outbox, conflicts, the two state machines and
// the contracts of store and transport. Synchronous: no task, no clock, no socket, no disk.
