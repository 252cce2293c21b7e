import Annotations
import App
import Dispatch
import Instant
import InstantCore
import PDFPages
import PageLayout
import Synchronization

/// Reads a layer's local storage off the drawing thread. An answer usually takes a fraction of a millisecond, so the
/// caller waits briefly to have it in the same frame. A page of ten thousand annotations or a busy disk does not block
/// keys: the answer then arrives later. The first read opens the storage.
///
/// Answers arrive in request order.
final class LayerReads: Sendable {
    /// The duration of one frame.
    private static let timeout = DispatchTimeInterval.milliseconds(16)

    private let layer: @Sendable () throws -> Layer
    private let post: @Sendable (Message) -> Void
    private let reads = DispatchQueue(label: "postilla.reads")
    private let writes = DispatchQueue(label: "postilla.notes")
    private let underWay = Atomic<Int>(0)
    /// How much damage the user was told of.
    private let told = Atomic<Int>(0)

    /// - Parameter post: Called on any thread.
    init(_ layer: @autoclosure @escaping @Sendable () throws -> Layer, post: @escaping @Sendable (Message) -> Void) {
        self.layer = layer
        self.post = post
        // Rows that an index no longer contains are noticed once the first rows are shown.
        writes.asyncAfter(deadline: .now() + 2) { [weak self] in
            guard let self, let layer = try? self.layer() else { return }
            layer.store.noteGaps()
            tell(of: layer.store.damage)
        }
    }

    func read(_ body: @escaping @Sendable (Layer) throws -> Message) {
        let isFirst = underWay.wrappingAdd(1, ordering: .relaxed).oldValue == 0
        let isDone = DispatchSemaphore(value: 0)
        reads.async { [self] in
            answer(body)
            underWay.wrappingSubtract(1, ordering: .relaxed)
            isDone.signal()
        }
        // Waiting is pointless while a slow read is ahead in the queue.
        if isFirst { _ = isDone.wait(timeout: .now() + Self.timeout) }
    }

    /// Stores something without making the caller wait.
    func note(_ body: @escaping @Sendable (Layer) throws -> Message) { writes.async { [self] in answer(body) } }

    /// Returns the pages with marks whose words are not yet indexed for the filter.
    func pagesToQuote(from file: String) async -> [Int] {
        await withCheckedContinuation { continuation in
            writes.async { [layer] in continuation.resume(returning: (try? layer().pagesToQuote(from: file)) ?? []) }
        }
    }

    /// Stores the words under the marks of a page, without posting a message.
    func note(quotes text: PageText, ofPage page: Int, from file: String) {
        writes.async { [layer] in
            let glyphs = PageGlyphs(text)
            // Words that cannot be stored are not found by the filter, and are read again next time.
            guard let layer = try? layer(), let rows = try? layer.rowsToQuote(onPage: page) else { return }
            let words = rows.map { (ByteOrdered($0.id), glyphs.words(under: $0.rects)) }
            try? layer.note(quotes: Dictionary(words) { first, _ in first }, from: file)
        }
    }

    private func answer(_ body: (Layer) throws -> Message) {
        do {
            let layer = try layer()
            post(try body(layer))
            tell(of: layer.store.damage)
        } catch { post(.notice("\(error)")) }
    }

    private func tell(of damage: [StoredDamage]) {
        guard damage.count > told.load(ordering: .relaxed) else { return }
        told.store(damage.count, ordering: .relaxed)
        let names = damage.map(\.description).shortList
        post(.notice("Damaged and left out: \(names); quit, then run postilla storage repair"))
    }
}
