import Annotations

/// One connection of a peer that keeps what it is given: an answer means that it is on the disk.
protocol DurableWriter {
    /// Sends one record.
    func start(id: String, content: Content) throws
    /// Waits for its answer.
    func finish() throws
}
