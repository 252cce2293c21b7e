// Whole-document formats: what a layer is written to and read from as one file, Instant JSON and XFDF. Pure: records in,
// bytes out, and the other way round; which records there are and what becomes of them is decided elsewhere.
