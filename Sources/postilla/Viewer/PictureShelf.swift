import App
import PDFPages
import Screen
import Synchronization
import Terminal

/// The pictures of the pages that were shown last and of the one that is likely to be next, each rendered once.
///
/// Used from any thread.
final class PictureShelf: Sendable {
    /// What a picture depends on besides the annotations.
    struct Place: Equatable, Sendable {
        let pages: PageReader
        let page: Int
        let room: Size
        /// The part wanted. It may extend beyond the page.
        let view: PictureView
        /// nil: cells only.
        let format: PictureFormat?
        /// The pixels of a cell.
        let cell: PixelSize

        static func == (one: Self, other: Self) -> Bool {
            one.pages === other.pages && one.page == other.page && one.room == other.room && one.view == other.view
                && one.format == other.format && one.cell == other.cell
        }
    }

    struct PixelSize: Equatable, Sendable {
        let width: Int
        let height: Int
    }

    struct Picture: Sendable {
        enum Form: Sendable {
            case cells(PictureCells)
            /// Also cells that stand for the picture in tmux.
            case pixels(PictureText, placeholders: PictureCells?)
        }

        /// nil: those of the file.
        let records: [DrawnRecord]?
        let form: Form
        /// The part that it shows.
        let view: PictureView
    }

    typealias Render = @Sendable () async throws -> Picture

    private struct Entry {
        let id: Int
        let place: Place
        let task: Task<Picture, any Error>
        var isDone = false
    }

    private struct State {
        /// The one used least recently first.
        var entries: [Entry] = []
        var nextID = 0
    }

    private let state = Mutex(State())
    /// The shown page, the one before it and the next one.
    private static let capacity = 3

    /// Renders a picture, unless it is here with these annotations or being rendered.
    ///
    /// - Throws: what `render` throws; `CancellationError` if another picture was wanted meanwhile.
    func picture(at place: Place, showing records: [DrawnRecord]?, _ render: @escaping Render) async throws -> Picture {
        let found = entry(at: place, .userInitiated, render)
        let picture = try await found.task.value
        guard picture.records != records else { return picture }
        remove(found.id)
        return try await entry(at: place, .userInitiated, render).task.value
    }

    /// Renders a picture that may be wanted next. A failure is told once it is wanted.
    func prepare(_ place: Place, _ render: @escaping Render) { _ = entry(at: place, .utility, render) }

    /// Stops rendering these.
    func stop(_ isUnwanted: (Place) -> Bool) {
        state.withLock { state in
            state.entries.removeAll { entry in
                guard !entry.isDone, isUnwanted(entry.place) else { return false }
                entry.task.cancel()
                return true
            }
        }
    }

    private func entry(at place: Place, _ priority: TaskPriority, _ render: @escaping Render) -> Entry {
        state.withLock { state in
            let found = state.entries.firstIndex { $0.place == place }.map { state.entries.remove(at: $0) }
            let entry = found ?? begin(place, priority, render, id: state.nextID)
            if found == nil { state.nextID += 1 }
            state.entries.append(entry)
            while state.entries.count > Self.capacity { state.entries.removeFirst().task.cancel() }
            return entry
        }
    }

    private func begin(_ place: Place, _ priority: TaskPriority, _ render: @escaping Render, id: Int) -> Entry {
        let task = Task(priority: priority) {
            do {
                let picture = try await render()
                note(id) { $0.isDone = true }
                return picture
            } catch {
                // Tried again when it is wanted again.
                remove(id)
                throw error
            }
        }
        return Entry(id: id, place: place, task: task)
    }

    private func note(_ id: Int, _ change: (inout Entry) -> Void) {
        state.withLock { state in
            if let index = state.entries.firstIndex(where: { $0.id == id }) { change(&state.entries[index]) }
        }
    }

    private func remove(_ id: Int) { state.withLock { $0.entries.removeAll { $0.id == id } } }
}
