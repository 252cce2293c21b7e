// Reads and writes a layer as one file in a whole-document format, Instant JSON or XFDF. Pure: converts between records
// and bytes. Not here: selecting the records, applying them, file access.
