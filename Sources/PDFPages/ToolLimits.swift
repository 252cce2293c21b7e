/// What one run of a tool may use before it is ended.
package struct ToolLimits: Hashable, Sendable {
    /// Address space of the child, in bytes.
    package var memory: Int
    /// Processor time of the child, in seconds.
    package var processorSeconds: Int
    /// Time on the wall, from start to end.
    package var time: Duration
    /// Bytes the child may print.
    package var output: Int
    /// Pages a file may have.
    package var pages: Int

    package init(
        memory: Int = 2 << 30, processorSeconds: Int = 60, time: Duration = .seconds(90), output: Int = 256 << 20,
        pages: Int = 100_000
    ) {
        self.memory = memory
        self.processorSeconds = processorSeconds
        self.time = time
        self.output = output
        self.pages = pages
    }
}
