import Annotations

/// One connection to a peer with durable storage: an answer means that the record is on disk.
protocol DurableWriter {
    /// Sends one record.
    func start(id: String, content: Content) throws
    /// Waits for its answer.
    func finish() throws
}
