import Foundation
import PDFPages
import Testing

@testable import postilla

/// The records of PDFs opened before.
@Suite struct KnownPDFsTests {
    private let home: Folder
    private let known: KnownPDFs
    private let hash = String(repeating: "ab", count: 32)
    private let info = PDFInfo(
        title: "Größe \u{1B}[31m \"and\" more", isEncrypted: true,
        pages: [
            PageSize(width: 612, height: 792), PageSize(width: 612, height: 792),
            PageSize(width: 841.89, height: 595.28),
        ])

    init() throws {
        home = try Folder()
        known = KnownPDFs(folder: home.path + "/cache/pdf")
    }

    @Test func whatWasFoundOutIsKnown() throws {
        #expect(known.info(of: hash) == nil)
        known.keep(info, of: hash)
        #expect(known.info(of: hash) == info)
        #expect(known.info(of: String(hash.reversed())) == nil)
        var untitled = info
        (untitled.title, untitled.isEncrypted) = (nil, false)
        known.keep(untitled, of: hash)
        #expect(known.info(of: hash) == untitled)
        let rights = try FileManager.default.attributesOfItem(atPath: known.folder)[.posixPermissions] as? Int
        #expect(rights == 0o700)
    }

    @Test(arguments: [
        "", "{", "[]", #"{"version":3,"encrypted":false,"pages":[[612,792,1]]}"#,
        #"{"version":2,"pages":[[612,792,1]]}"#, #"{"version":2,"encrypted":false,"pages":[]}"#,
        #"{"version":2,"encrypted":false,"pages":[[612,792]]}"#,
        #"{"version":2,"encrypted":false,"pages":[[612,792,-1]]}"#,
        #"{"version":2,"encrypted":false,"pages":[[0,792,1]]}"#,
        #"{"version":2,"encrypted":false,"pages":[[612,792,1e300]]}"#,
        #"{"version":2,"encrypted":false,"pages":[[612,792,999999],[612,792,999999]]}"#,
        #"{"version":2,"encrypted":false,"pages":"many"}"#,
    ])
    func whatMakesNoSenseIsNotKnown(text: String) throws {
        known.keep(info, of: hash)
        try KnownPDFs.checked(text).write(toFile: "\(known.folder)/\(hash).json", atomically: true, encoding: .utf8)
        #expect(known.info(of: hash) == nil)
    }

    @Test func whatChangedOnDiskIsNotKnown() throws {
        known.keep(info, of: hash)
        let file = URL(fileURLWithPath: "\(known.folder)/\(hash).json")
        let whole = try Data(contentsOf: file)
        for place in whole.indices {
            var changed = whole
            changed[place] ^= 1
            try changed.write(to: file)
            #expect(known.info(of: hash) == nil, "byte \(place)")
        }
    }

    @Test func theFolderDoesNotGrowForEver() throws {
        for number in 0..<300 { known.keep(info, of: "\(number)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: known.folder).count <= 256)
        #expect(known.info(of: "299") == info)
    }

    @Test func aPlaceThatCannotBeWrittenToIsNoHindrance() throws {
        let blocked = KnownPDFs(folder: try home.write("file", "") + "/pdf")
        blocked.keep(info, of: hash)
        #expect(blocked.info(of: hash) == nil)
    }
}
