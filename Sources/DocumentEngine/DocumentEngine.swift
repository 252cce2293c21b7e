// The server: decisions are taken in EngineCore, and what is here performs them.
//
// HTTP/       from a request's head to a route and back: addresses, forms, ranges, errors
// Routes/     what each address does: the backend's plane and the clients'
// Tokens/     whose token is good
// Limits/     what is taken of whom, and how fast
// Intake/     PDFs and files on their way in
// Store/      SQLite, files, and what notices a restored backup; PostgreSQL is a module of its own
// Sharing/    several servers on one database
// Operation/  whether it is ready, and the address for figures; Metrics/ are the figures
// API/        the description of all of it
