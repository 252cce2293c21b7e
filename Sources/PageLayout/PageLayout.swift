// Turns the words of a PDF page, with their boxes, into rows of terminal cells. `PageGlyphs` cleans the words and puts
// them into reading order; `TypesetPage` sets them as the reading view (reflowed) or the layout view (as printed). Also
// locates marks, search hits, motions and selections, all as glyph indices that both views share. Pure: the same words
// and width give the same rows. Out of scope: reading PDF files (PDFPages), drawing (Screen, App) and file access.
