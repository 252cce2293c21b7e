import Annotations
import App
import Dispatch
import InstantCore
import PDFPages
import PageLayout
import Synchronization

/// What the screen needs of a layer's local storage, read beside the thread that draws. Nearly always an answer is there
/// in a fraction of a millisecond, and is waited for, so that it is in the same picture; a page of ten thousand
/// annotations, or a disk that is busy, keeps no key waiting: then the answer comes when it comes. The storage is opened
/// by the first question.
///
/// Answers come in the order of the questions.
final class LayerReads: Sendable {
    /// As long as a screen shows a picture for.
    private static let timeout = DispatchTimeInterval.milliseconds(16)

    private let layer: @Sendable () throws -> Layer
    private let post: @Sendable (Message) -> Void
    private let reads = DispatchQueue(label: "postilla.reads")
    private let writes = DispatchQueue(label: "postilla.notes")
    private let underWay = Atomic<Int>(0)

    /// - Parameter post: of any thread.
    init(_ layer: @autoclosure @escaping @Sendable () throws -> Layer, post: @escaping @Sendable (Message) -> Void) {
        self.layer = layer
        self.post = post
    }

    func read(_ body: @escaping @Sendable (Layer) throws -> Message) {
        let isFirst = underWay.wrappingAdd(1, ordering: .relaxed).oldValue == 0
        let isDone = DispatchSemaphore(value: 0)
        reads.async { [self] in
            answer(body)
            underWay.wrappingSubtract(1, ordering: .relaxed)
            isDone.signal()
        }
        // Behind one that takes long there is no use in waiting.
        if isFirst { _ = isDone.wait(timeout: .now() + Self.timeout) }
    }

    /// Notes something down that nobody waits for.
    func note(_ body: @escaping @Sendable (Layer) throws -> Message) { writes.async { [self] in answer(body) } }

    /// Pages with marks whose words no filter knows.
    func pagesToQuote(from file: String) async -> [Int] {
        await withCheckedContinuation { continuation in
            writes.async { [layer] in continuation.resume(returning: (try? layer().pagesToQuote(from: file)) ?? []) }
        }
    }

    /// Notes the words under the marks of a page, and says nothing of it.
    func note(quotes text: PageText, ofPage page: Int, from file: String) {
        writes.async { [layer] in
            let glyphs = PageGlyphs(text)
            // Where it cannot be noted they are not found, and are read again next time.
            guard let layer = try? layer(), let rows = try? layer.rowsToQuote(onPage: page) else { return }
            let words = rows.map { ($0.id, glyphs.words(under: $0.rects)) }
            try? layer.note(quotes: Dictionary(words) { first, _ in first }, from: file)
        }
    }

    private func answer(_ body: (Layer) throws -> Message) {
        do { post(try body(layer())) } catch { post(.notice("\(error)")) }
    }
}
