import Dispatch

/// Reports when another process may have begun to use a store, or the store may have been moved or removed: by the events
/// of its folder. What this process does there is reported too.
final class StoreWatch: Sendable {
    private let number: Int

    /// - Parameters:
    ///   - folder: Absolute.
    ///   - queue: Where `hasEvents` is called, once until ``takeEvents()`` is.
    /// - Returns: nil if the folder cannot be watched.
    init?(folder: String, queue: DispatchQueue, hasEvents: @escaping @Sendable () -> Void) {
        guard let number = FolderEvents.shared?.watch(folder, wake: { queue.async(execute: hasEvents) }) else {
            return nil
        }
        self.number = number
    }

    deinit { FolderEvents.shared?.stop(number) }

    /// Forgets the events so far.
    ///
    /// - Returns: Whether there were any.
    func takeEvents() -> Bool { FolderEvents.shared?.take(number) ?? false }
}
