import Foundation

/// Prints the tables, without buffering even to a pipe.
enum Report {
    static func add(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
