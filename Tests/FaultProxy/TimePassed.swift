import Dispatch

/// Lets time pass, for programs in which it is an input; a test waits for what it needs. Ends early when the task is cancelled.
package func timePassed(_ time: Duration) async {
    let (moments, moment) = AsyncStream<Void>.makeStream()
    let milliseconds = Int(time / .milliseconds(1))
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { moment.finish() }
    for await _ in moments {}
}
