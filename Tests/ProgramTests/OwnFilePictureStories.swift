import Foundation
import TestSupport
import TestThreads
import Testing

/// Real files, where available: writing into one keeps its bytes and, but for the annotation, its pixels.
@Suite(
    .onOwnThreads,
    .enabled(
        if: !Repository.samples.isEmpty
            && ["qpdf", "pdftoppm"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0) }))
struct OwnFilePictureStories {
    private static let samples = Repository.samples.filter { $0.name.hasSuffix(".pdf") }
    private static let resolution = 50.0

    private let home: Folder

    init() throws {
        home = try Folder()
        try FileManager.default.createDirectory(
            atPath: home.path + "/run", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    private func run(_ words: String...) throws -> Program.Outcome {
        try Program.run(
            words, environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"])
    }

    @Test(arguments: samples.map(\.path)) func writingKeepsBytesAndPixels(_ sample: String) throws {
        let original = try Data(contentsOf: URL(filePath: sample))
        let path = try home.write("paper.pdf", original)
        let (problems, pictures) = (try Self.problems(of: path), try self.pictures(of: path))
        #expect(!pictures.isEmpty)

        let added = try run("add", path, "--note", "Added here", "--page", "1")
        #expect(added.status == 0, "\(added.messages)")
        var spots = [try spot(of: added.output.trimmingCharacters(in: .newlines), in: path)]
        try compare(path, with: original, problems, pictures, except: spots)

        // One of the file's own annotations, if it has any with words.
        guard let own = try records(path).first(where: { $0.isOwn }) else { return }
        let spot = try spot(of: own.id, in: path)
        let edited = try run("edit", own.id, "--pdf", path, "--text", "Edited here")
        guard edited.status == 0 else { return }
        spots += [spot, try self.spot(of: own.id, in: path)]
        try compare(path, with: original, problems, pictures, except: spots)
    }

    private func compare(
        _ path: String, with original: Data, _ problems: Set<String>, _ pictures: [Picture], except spots: [Spot]
    ) throws {
        #expect(try Data(contentsOf: URL(filePath: path)).starts(with: original))
        #expect(try Self.problems(of: path).subtracting(problems) == [])
        let now = try self.pictures(of: path)
        #expect(now.count == pictures.count)
        for (page, (one, other)) in zip(pictures, now).enumerated() {
            let different = one.differences(from: other, except: spots.filter { $0.page == page }, Self.resolution / 72)
            #expect(different == 0, "\(different) pixels differ on page \(page + 1)")
        }
    }

    // MARK: qpdf

    /// What qpdf finds wrong with a file, without its name.
    private static func problems(of path: String) throws -> Set<String> {
        let run = try Program.run(["--check", path], environment: [:], executable: "/usr/bin/qpdf")
        let lines = (run.output + run.messages).split(separator: "\n").map(String.init)
        let bad = lines.filter { $0.hasPrefix("WARNING") || $0.hasPrefix("ERROR") || $0.hasPrefix("qpdf: \(path)") }
        return Set(bad.map { $0.replacingOccurrences(of: path, with: "") })
    }

    // MARK: Records

    private struct Entry {
        var id: String
        var isOwn: Bool
        var spot: Spot
    }

    /// A rectangle in points from the top left corner of a page, in which everything may differ.
    private struct Spot {
        var page: Int
        var left, top, width, height: Double
    }

    private func records(_ path: String) throws -> [Entry] {
        let list = try run("list", path, "--format", "ndjson")
        return try list.output.split(separator: "\n").compactMap { line in
            guard let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let id = record["id"] as? String, let content = record["content"] as? [String: Any],
                let box = (content["bbox"] as? [Any])?.compactMap({ ($0 as? NSNumber)?.doubleValue }), box.count == 4
            else { return nil }
            let page = (content["pageIndex"] as? NSNumber)?.intValue ?? 0
            let type = content["type"] as? String ?? ""
            return Entry(
                id: id, isOwn: ["pspdfkit/note", "pspdfkit/text"].contains(type) && Int(id) != nil,
                spot: Spot(page: page, left: box[0], top: box[1], width: box[2], height: box[3]))
        }
    }

    private func spot(of id: String, in path: String) throws -> Spot {
        try #require(try records(path).first { $0.id == id }).spot
    }

    // MARK: Pixels

    /// A page in shades of grey.
    private struct Picture {
        var width, height: Int
        var pixels: [UInt8]

        func differences(from other: Picture, except spots: [Spot], _ scale: Double) -> Int {
            guard width == other.width, height == other.height else { return width * height }
            // A border may be some points thick, and the icon of a note larger than its box.
            let masks = spots.map { spot in
                (
                    Int((spot.left - 8) * scale)...Int((spot.left + max(spot.width, 24) + 8) * scale),
                    Int((spot.top - 8) * scale)...Int((spot.top + max(spot.height, 24) + 8) * scale)
                )
            }
            return pixels.indices.count { place in
                pixels[place] != other.pixels[place]
                    && !masks.contains { $0.0.contains(place % width) && $0.1.contains(place / width) }
            }
        }
    }

    /// The first pages as poppler draws them.
    private func pictures(of path: String) throws -> [Picture] {
        let folder = try Folder()
        let run = try Program.run(
            ["-q", "-gray", "-cropbox", "-r", "\(Self.resolution)", "-l", "5", path, folder.path + "/page"],
            environment: [:], executable: "/usr/bin/pdftoppm")
        #expect(run.status == 0, "\(run.messages)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("page") }
        return try names.sorted().map { name in
            // P5, width, height and depth, then the pixels.
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)")))
            var rest = bytes[...]
            func number() -> Int {
                rest = rest.drop { $0 <= 0x20 }
                let word = rest.prefix { $0 > 0x20 }
                rest = rest[word.endIndex...]
                return Int(String(decoding: word, as: UTF8.self)) ?? 0
            }
            _ = number()
            let (width, height) = (number(), number())
            _ = number()
            let pixels = Array(rest.dropFirst())
            #expect(pixels.count == width * height)
            return Picture(width: width, height: height, pixels: pixels)
        }
    }
}
