// The server: HTTP routes, token verification, the SQLite store and the intake of PDFs.
// Decisions are taken in EngineCore; what is here performs them.
