/// A log of the history, line by line, for finding the cause of a failure.
package final class Trace {
    package private(set) var lines: [String] = []
    private let isKept: Bool

    package init(isKept: Bool) { self.isKept = isKept }

    func callAsFunction(_ line: @autoclosure () -> String) {
        guard isKept else { return }
        // Values describe themselves with the names of their modules and types.
        let modules = /\b(InstantCore|SyncProtocol|Annotations|Authorization|EngineCore)\.([A-Z]\w*\.)*/
        lines.append(line().replacing(modules, with: ""))
    }
}
