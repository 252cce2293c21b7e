// Reads PDF files in separate processes with limits on memory, time and output: page count and sizes, words with boxes,
// pictures of pages, outline and page labels, and the file's annotations as records; also writes a layer's annotations
// into a copy of a file. A PDF is hostile input and never parsed in this process; the tools' output, which is parsed
// here, is hostile too. Not here: text layout (PageLayout), drawing (Screen), storage (client and server).

/// Reads PDF files with the tools of poppler and qpdf, each run as a child process with limits.
///
/// Calls are independent and may run concurrently on any thread. A cancelled task ends its child and throws
/// `CancellationError`; other failures throw ``PDFError``. Pages are counted from 0.
package struct PDFTools: Sendable {
    package var limits: ToolLimits
    /// Directories searched for the tools, in this order; `PATH` is not used.
    package var directories: [String]
    /// The folder of poppler's character maps, in the package poppler-data.
    var characterMaps = "/usr/share/poppler/cMap"
    /// The folder for intermediate files; nil: `TMPDIR`, or `/tmp`.
    package var scratchFolder: String?

    package static let usualDirectories = ["/usr/bin", "/bin", "/usr/local/bin"]

    package init(limits: ToolLimits = ToolLimits(), directories: [String] = usualDirectories) {
        self.limits = limits
        self.directories = directories
    }
}
