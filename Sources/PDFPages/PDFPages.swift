// Pages of a PDF, read in a separate process with limits on memory, time and output: size, text with
// boxes, annotation dictionaries. A PDF is hostile input and is never parsed in this process.
