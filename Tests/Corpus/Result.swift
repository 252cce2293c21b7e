import Foundation

/// What was compared, in the order of the table.
enum Step: String, Codable, CaseIterable {
    case upload, list, kinds, edit, export, check, edited, untouched, text, pixels
}

/// The result for one file.
struct Result: Codable {
    var file: String
    var bytes: Int
    var records = 0
    /// How many records of each kind were edited.
    var edited: [String] = []
    /// The steps that were done; those without a sentence agree.
    var done: [Step] = []
    /// What does not agree, as sentences, by step.
    var problems: [Step: [String]] = [:]
    /// Why the file was refused, when other programs cannot read it either.
    var refusal: String?

    var disagreements: [String] {
        Step.allCases.flatMap { step in (problems[step] ?? []).map { "\(step.rawValue): \($0)" } }
    }

    mutating func agree(_ step: Step, _ sentences: [String] = []) {
        done.append(step)
        if !sentences.isEmpty { problems[step] = Array(sentences.prefix(20)) }
    }
}

/// The results of all runs, one line of JSON for each file.
final class ResultFile {
    private let handle: FileHandle
    private var known: [String: Result] = [:]

    /// - Parameter forgets: Whether earlier results are dropped.
    init(folder: String, forgets: Bool) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/results.ndjson"
        if forgets || !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw CorpusProblem("cannot write \(path)")
            }
        }
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            // The last line may be cut.
            guard let result = try? JSONDecoder().decode(Result.self, from: Data(line.utf8)) else { continue }
            known[result.file] = result
        }
        guard let handle = FileHandle(forUpdatingAtPath: path) else { throw CorpusProblem("cannot write \(path)") }
        self.handle = handle
        try handle.seekToEnd()
        // A line that was cut must not continue.
        if !known.isEmpty { try handle.write(contentsOf: Data("\n".utf8)) }
    }

    /// Whether the file was examined and has the same size.
    func has(_ file: String) -> Bool { known[file].map { $0.bytes == Self.bytes(of: file) } ?? false }

    func add(_ result: Result) throws {
        known[result.file] = result
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try handle.write(contentsOf: encoder.encode(result) + Data("\n".utf8))
    }

    func results(of files: [String]) -> [Result] { files.compactMap { known[$0] } }

    static func bytes(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }
}

/// How often each step agrees, then every disagreement.
struct AgreementTable {
    let text: String

    init(_ results: [Result]) {
        var lines = ["step        files    agree    differ"]
        func column(_ number: Int) -> String {
            String(repeating: " ", count: max(0, 9 - "\(number)".count)) + "\(number)"
        }
        for step in Step.allCases {
            let done = results.filter { $0.done.contains(step) }
            let differ = done.count { $0.problems[step] != nil }
            let name = step.rawValue + String(repeating: " ", count: 8 - min(8, step.rawValue.count))
            lines.append(name + column(done.count) + column(done.count - differ) + column(differ))
        }
        let refused = results.count { $0.refusal != nil }
        let records = results.reduce(0) { $0 + $1.records }
        lines.append("\(results.count) files, \(refused) refused as by qpdf or poppler, \(records) records")
        for result in results where !result.disagreements.isEmpty {
            lines.append(result.file)
            lines += result.disagreements.map { "  \($0)" }
        }
        text = lines.joined(separator: "\n")
    }
}
