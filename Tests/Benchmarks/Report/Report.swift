import Foundation

/// Where the tables go: shown at once, also when a pipe reads them.
enum Report {
    static func add(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
