import Foundation
import TestSupport

/// A valid PDF of any size that cannot be compressed: one page of text, and streams of noise, stored as attachments
/// would be.
enum LargePDF {
    /// Writes a PDF of at least this size, without keeping it in memory.
    static func write(megabytes: Int, to file: URL) throws {
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw BenchmarkError("cannot write \(file.path)")
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var random = SeededRandom(seed: 11)
        var offsets: [Int] = []
        var length = 0
        func append(_ text: String) throws { try append(Data(text.utf8)) }
        func append(_ data: Data) throws {
            try handle.write(contentsOf: data)
            length += data.count
        }
        func object(_ body: () throws -> Void) throws {
            offsets.append(length)
            try append("\(offsets.count) 0 obj\n")
            try body()
            try append("\nendobj\n")
        }

        try append("%PDF-1.7\n")
        try object { try append("<</Type/Catalog/Pages 2 0 R>>") }
        try object { try append("<</Type/Pages/Kids[4 0 R]/Count 1>>") }
        try object { try append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>") }
        try object {
            try append("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 5 0 R")
            try append("/Resources<</Font<</F1 3 0 R>>>>>>")
        }
        let words = "BT /F1 20 Tf 100 602 Td (A large file) Tj ET"
        try object { try append("<</Length \(words.utf8.count)>>stream\n\(words)\nendstream") }
        for _ in 0..<megabytes {
            try object {
                try append("<</Length \(1 << 20)>>stream\n")
                try append(noise(1 << 20, using: &random))
                try append("\nendstream")
            }
        }
        let table = length
        try append("xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n")
        try append(offsets.map { String(format: "%010d 00000 n \n", $0) }.joined())
        try append("trailer<</Size \(offsets.count + 1)/Root 1 0 R>>\nstartxref\n\(table)\n%%EOF\n")
    }

    private static func noise(_ count: Int, using random: inout SeededRandom) -> Data {
        let words = (0..<count / 8).map { _ in random.next() }
        return words.withUnsafeBytes { Data($0) }
    }
}
