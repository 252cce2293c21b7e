// The server: EngineCore makes the decisions; this module carries them out.
//
// API/             openapi.json, the description of the HTTP API
// Cluster/         synchronisation of several servers on one database
// Engine/          transactions, the write queue, listeners and presence
// HTTP/            from a request to a route and back: addresses, forms, ranges, errors
// Intake/          PDFs, attachments and annotation files on their way in
// Limits/          rate limits, timeouts, concurrency limits
// Metrics/         metrics and their Prometheus endpoint
// Routes/          the route table
// Routes/Backend/  the backend API, `/api`
// Routes/Sync/     the sync API, `/instant/v1`
// Server/          start, shutdown, options and background services
// Store/           SQLite, blobs, backup and restore detection; PostgreSQL is a separate module
// Streaming/       event streams and their connections
// Tokens/          signing and verifying tokens
