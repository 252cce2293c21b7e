/// Limits how many servers run at once. Each holds twenty files open: hundreds in one process exceed the file limit of
/// most machines.
actor Turns {
    static let servers = Turns(12)

    @TaskLocal private static var isOurs = false
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    /// Runs the body when a slot is free. A body inside a slot needs no second one.
    static func take<Result: Sendable>(_ turns: Turns, _ body: () async throws -> Result) async throws -> Result {
        if isOurs { return try await body() }
        await turns.begin()
        do {
            let result = try await $isOurs.withValue(true) { try await body() }
            await turns.end()
            return result
        } catch {
            await turns.end()
            throw error
        }
    }

    private func begin() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func end() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
