// Reads and writes a layer as one file in a whole-document format, Instant JSON or XFDF. Pure: converts between records
// and bytes. Selecting the records, applying them and accessing files do not belong here.
