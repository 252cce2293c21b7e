import CSHA256

/// SHA-256, computed as bytes arrive. Names PDFs, attachments and folders, and verifies downloads.
///
/// Not from swift-crypto, which would bring a second BoringSSL into every program that uses this library; see
/// docs/decisions/0080.
struct SHA256Hash {
    private var state = csha256()

    init() { csha256_start(&state) }

    /// Hashes these bytes only.
    init(of bytes: some Collection<UInt8>) {
        self.init()
        add(bytes)
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) { csha256_add(&state, bytes.baseAddress, bytes.count) }

    mutating func add(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ add(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { add($0) }
        }
    }

    /// The 32 bytes of the hash so far.
    var digest: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        withUnsafePointer(to: state) { csha256_digest($0, &digest) }
        return digest
    }
}
