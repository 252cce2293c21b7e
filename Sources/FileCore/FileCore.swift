// What the engine of a person's own PDFs decides, without I/O: see ``LocalFileCore``.
//
// FileMerge and FileNames compare versions of a file, LocalFileState is what a database holds of it, LocalFileCore decides
// what happens next, and EngineLock whether this engine may begin at all.
