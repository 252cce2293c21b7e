import NIOCore

/// Bytes by their SHA-256, never changed once they are kept: the PDFs, and the attachments.
protocol Blobs: Sendable {
    /// A file being received, on this machine's disk until it is kept.
    func receive() throws -> Upload
    /// Durable when it returns. Called inside the transaction that writes the row which names it and has taken
    /// ``Hold/blob(_:)``, and so is ``remove(_:)``: then none is removed between its arrival and that row.
    func keep(_ received: Upload.CompletedFile) throws
    func remove(_ sha256: String) throws
    /// - Throws: ``StoreError`` when it is not there.
    func open(_ sha256: String) throws -> any Blob
    /// Where it lies on this machine; nil when it does not.
    func path(of sha256: String) -> String?
    /// The hashes of all.
    func names() throws -> [String]
}

/// Bytes that are being sent.
protocol Blob: Sendable {
    var length: Int64 { get }
    /// Blocks. At least one byte, at most so many.
    func read(at offset: Int64, _ count: Int) throws -> ByteBuffer
}
