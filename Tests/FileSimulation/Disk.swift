import FileCore
import TestSupport

/// A file on the disk, and what of it is in memory only.
final class Inode {
    let number: UInt64
    var bytes: Bytes
    /// nil: nothing of it would be left.
    var durable: Bytes?
    var changed: Int64
    /// A program that has it open for writing.
    var writer: Program?

    init(_ number: UInt64, _ bytes: Bytes, at time: Int64) {
        (self.number, self.bytes, changed) = (number, bytes, time)
    }

    var version: FileVersion { FileVersion(inode: number, size: bytes.size, changed: changed, sha256: bytes.hash) }
}

/// The folder of a PDF. Names that were given since it was synced may be lost, the newest first.
final class Disk {
    private(set) var names: [String: Inode] = [:]
    private var durable: [String: Inode] = [:]
    private var steps: [[String: Inode?]] = []
    /// Whether nothing on it answers.
    var isHung = false

    subscript(name: String) -> Inode? { names[name] }

    func set(_ changes: [String: Inode?]) {
        for (name, inode) in changes { names[name] = inode }
        steps.append(changes)
    }

    func sync() {
        durable = names
        steps = []
    }

    func losePower(_ dice: inout SeededRandom, next: () -> UInt64) {
        let kept = Int.random(in: 0...steps.count, using: &dice)
        for step in steps.prefix(kept) { for (name, inode) in step { durable[name] = inode } }
        names = durable
        steps = []
        for (name, inode) in names.sorted(by: { $0.key < $1.key }) {
            inode.writer = nil
            guard inode.bytes != inode.durable else { continue }
            if dice.chance(1, of: 2) {
                inode.durable = inode.bytes
            } else if let durable = inode.durable {
                inode.bytes = durable
            } else {
                names[name] = nil
            }
        }
        durable = names
    }
}
