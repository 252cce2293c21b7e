// Shared test support: a manual clock, an in-memory transport, a token mint, a virtual terminal, key scripts.
