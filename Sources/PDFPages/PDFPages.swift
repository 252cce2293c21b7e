// Pages of a PDF, read in a separate process with limits on memory, time and output: how many and how large,
// their text with boxes, and the annotations the file itself holds, as records. A PDF is hostile input and is
// never parsed in this process; what is parsed here is what the tools print, and that is hostile too.
// No layout of text (App), no drawing (Screen), no storing (the client and the server).

/// Reads PDF files by running poppler's and qpdf's tools, each in a child process of its own with limits.
///
/// Every call is independent, may run beside others on any thread, ends its child when its task is cancelled
/// (then it throws `CancellationError`) and otherwise throws ``PDFError``. Pages are counted from 0.
package struct PDFTools: Sendable {
    package var limits: ToolLimits
    /// Where the tools are looked for, in this order; the environment's PATH is not asked.
    package var directories: [String]

    package static let usualDirectories = ["/usr/bin", "/bin", "/usr/local/bin"]

    package init(limits: ToolLimits = ToolLimits(), directories: [String] = usualDirectories) {
        self.limits = limits
        self.directories = directories
    }
}
