import Dispatch

/// Something that a test waited for did not happen in time.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String, seconds: Int) { description = "timed out after \(seconds) s, waiting until \(what)" }
}

/// Polls until the condition holds.
///
/// - Parameter what: Completes the sentence "waiting until …".
/// - Throws: ``WaitedInVain`` after `seconds`.
package func waitUntil(
    _ what: String, seconds: Int = 240, isolation: isolated (any Actor)? = #isolation,
    _ isSo: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
        guard ContinuousClock.now < end else { throw WaitedInVain(what, seconds: seconds) }
        await Task.yield()
    }
}

/// Runs the body, and cancels it if it takes too long.
///
/// - Parameter what: Completes the sentence "waiting until …".
/// - Throws: ``WaitedInVain`` after `seconds`, or the error of the body.
package func limited<Result>(
    _ what: String, seconds: Int = 240, _ body: @escaping () async throws -> Result
) async throws -> Result {
    // One task runs the body while the other only waits: nothing is used concurrently.
    let body = Unchecked(value: body)
    return try await withThrowingTaskGroup(of: Unchecked<Result>?.self) { group in
        group.addTask { Unchecked(value: try await body.value()) }
        group.addTask {
            await timePassed(seconds: seconds)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else { throw WaitedInVain(what, seconds: seconds) }
        return result.value
    }
}

/// Ends early when the task is cancelled.
private func timePassed(seconds: Int) async {
    let (moments, moment) = AsyncStream<Void>.makeStream()
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { moment.finish() }
    for await _ in moments {}
}

private struct Unchecked<Value>: @unchecked Sendable {
    var value: Value
}
