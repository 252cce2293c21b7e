// The client without the world: the layer a person sees (`Layer`), what is kept of it (`Store`), and the sync as a
// function of what happens (`Session`: state machines and the synchronizer that drives them; `Presence` is the one for who
// is there). Synchronous: no task, no clock, no socket, no disk; what performs its effects lives in Instant.
