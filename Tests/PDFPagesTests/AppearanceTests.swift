import Annotations
import TestSupport
import Testing

@testable import PDFPages

@Suite("Annotations are drawn", .inTurns) struct AppearanceTests {
    private static let frame = PageFrame(width: 612, height: 792)

    private func appearance(_ members: String, over own: String? = nil) async throws -> Appearance? {
        let content = try Content("{\(members)}")
        guard let own else { return AppearanceWriter(content, on: Self.frame)?.appearance() }
        let folder = try Folder()
        let path = try folder.write(SmallPDF(annotations: ["<</Type/Annot\(own)>>"]).bytes)
        let dump = try await PDFTools().dump(of: path)
        let dictionary = PDFDictionary(.reference(ObjectID(number: 6)), in: dump)
        return AppearanceWriter(content, on: Self.frame, over: dictionary)?.appearance()
    }

    /// The points that a content stream mentions, relative to the lower left corner of the area.
    private func points(_ stream: String) -> [(Double, Double)] {
        stream.split(separator: "\n").flatMap { line -> [(Double, Double)] in
            let words = line.split(separator: " ")
            guard let name = words.last, ["m", "l", "c"].contains(name) else { return [] }
            let numbers = words.dropLast().compactMap { Double($0) }
            return stride(from: 0, to: numbers.count - 1, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
        }
    }

    @Test func eachNoteIconIsAnother() async throws {
        var streams: Set<String> = []
        for name in Set(AnnotationNames.icons.values) {
            let note = try await appearance(##""type":"pspdfkit/note","bbox":[5,5,32,32],"icon":"\##(name)""##)
            streams.insert(try #require(note).stream)
        }
        #expect(streams.count == Set(AnnotationNames.icons.values).count)
        let unknown = try await appearance(##""type":"pspdfkit/note","bbox":[5,5,32,32],"icon":"new""##)
        #expect(streams.contains(try #require(unknown).stream))
    }

    /// Records have any numbers, also beyond every page.
    @Test(arguments: ["1e300", "-1e300", "1e-300", "1.7e308", "0", "1e155"]) func anyNumberIsDrawn(_ number: String)
        async throws
    {
        let box = "[\(number),1,\(number.replacing("-", with: "")),\(number.replacing("-", with: ""))]"
        for members in [
            ##""type":"pspdfkit/markup/squiggly","rects":[\##(box),\##(box)]"##,
            ##""type":"pspdfkit/shape/rectangle","cloudyBorderIntensity":2"##,
            ##""type":"pspdfkit/shape/ellipse","cloudyBorderIntensity":\##(number)"##,
            ##""type":"pspdfkit/shape/polygon","cloudyBorderIntensity":1,"points":[[\##(number),0],[0,\##(number)],[1,1]]"##,
            ##""type":"pspdfkit/ink","lines":{"points":[[[\##(number),0],[0,\##(number)]]]}"##,
            ##""type":"pspdfkit/text","text":"words","fontSize":\##(number)"##,
        ] {
            let appearance = try await appearance(members + ##","bbox":\##(box),"strokeWidth":\##(number)"##)
            #expect((appearance?.stream.utf8.count ?? 0) < 2_000_000)
        }
    }

    /// The words of the lines, and the sizes and places in which they are set.
    private func lines(_ stream: String) -> (size: Double, words: [String], places: [Double]) {
        let rows = stream.split(separator: "\n")
        let size = rows.last { $0.hasSuffix(" Tf") }.flatMap { Double($0.split(separator: " ")[1]) } ?? 0
        let words = rows.filter { $0.hasSuffix(" Tj") }.map { row in
            let digits = row.dropFirst().prefix { $0 != ">" }.utf8.compactMap(\.hexadecimalValue)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            return String(decoding: bytes, as: UTF8.self)
        }
        let places = rows.filter { $0.hasSuffix(" Tm") }.compactMap { Double($0.split(separator: " ")[5]) }
        return (size, words, places)
    }

    @Test(arguments: [(150.0, 20.0), (60, 40), (90, 16), (40, 30), (300, 12)])
    func noWordIsCutOff(width: Double, height: Double) async throws {
        let words = "Several words that need some room"
        let text = try #require(
            try await appearance(
                ##""type":"pspdfkit/text","bbox":[10,10,\##(width),\##(height)],"text":"\##(words)","fontSize":12"##))
        let found = lines(text.stream)
        #expect(found.words.joined(separator: " ") == words)
        #expect(found.size <= 12)
        // Every baseline is in the box, with room for what hangs below it.
        #expect(found.places.allSatisfy { $0 >= 0.15 * found.size && $0 + 0.7 * found.size <= height })
    }

    @Test func wordsWithEnoughRoomKeepTheirSize() async throws {
        let text = try #require(
            try await appearance(##""type":"pspdfkit/text","bbox":[10,10,200,40],"text":"a few words","fontSize":12"##))
        #expect(lines(text.stream).size == 12 && lines(text.stream).words == ["a few words"])
    }

    @Test(arguments: [
        ("Helv", "[]", "Helvetica"), ("HeBo", "[]", "Helvetica-Bold"), ("TiRo", "[]", "Times-Roman"),
        ("Times", #"["italic"]"#, "Times-Italic"), ("Courier", #"["bold","italic"]"#, "Courier-BoldOblique"),
        ("Arial,Bold", "[]", "Helvetica-Bold"),
    ])
    func fontsAreThoseOfEveryReader(_ name: String, _ style: String, _ expected: String) async throws {
        let text = try #require(
            try await appearance(
                ##""type":"pspdfkit/text","bbox":[0,0,90,90],"text":"~ x","font":"\##(name)","fontStyle":\##(style)"##))
        #expect(text.fonts == [expected])
    }

    @Test func aCalloutKeepsItsLineAndItsText() async throws {
        let own =
            "/Subtype/FreeText/Rect[0 600 200 700]/CL[5 605 60 640 100 650]/RD[100 10 10 10]/LE/OpenArrow/BS<</W 2>>"
        let text = try #require(
            try await appearance(
                ##""type":"pspdfkit/text","bbox":[0,92,200,100],"text":"here","fontSize":12,"borderWidth":2"##,
                over: own))
        let points = points(text.stream)
        for point in [(5.0, 5.0), (60, 40), (100, 50)] { #expect(points.contains { $0 == point }) }
        let row = try #require(text.stream.split(separator: "\n").last { $0.hasSuffix(" Tm") })
        #expect(try #require(Double(row.split(separator: " ")[4])) > 100, "the text is in its box")
    }

    @Test(arguments: ["rectangle", "ellipse"], [0.5, 1, 2]) func aCloudStaysInItsBox(
        _ kind: String, _ intensity: Double
    ) async throws {
        let shape = try #require(
            try await appearance(
                ##""type":"pspdfkit/shape/\##(kind)","bbox":[50,50,120,60],"strokeWidth":2,"cloudyBorderIntensity":\##(intensity)"##
            ))
        #expect(shape.stream.components(of: " c") > 10)
        // Control points lie a third farther out than the curve.
        let slack = Cloud(intensity: intensity, width: 2).reach / 3 + 0.01
        for (x, y) in points(shape.stream) {
            #expect(x >= -slack && y >= -slack && x <= 120 + slack && y <= 60 + slack)
        }
    }

    @Test func cloudsBulgeOutwardsInBothDirections() async throws {
        for corners in ["[[60,60],[160,60],[160,160],[60,160]]", "[[60,160],[160,160],[160,60],[60,60]]"] {
            let shape = try #require(
                try await appearance(
                    ##""type":"pspdfkit/shape/polygon","bbox":[60,60,100,100],"points":\##(corners),"cloudyBorderIntensity":1"##
                ))
            #expect(shape.place.left < 60 && shape.place.right > 160)
            // Relative to the area, the outline begins at its margin; every curve's control points are outside of it.
            let margin = 60 - shape.place.left
            let curves = shape.stream.split(separator: "\n").filter { $0.hasSuffix(" c") }
            for curve in curves {
                let numbers = curve.split(separator: " ").compactMap { Double($0) }
                let isOutside = [numbers[0], numbers[1], numbers[2], numbers[3]].contains {
                    $0 < margin - 1 || $0 > margin + 101
                }
                #expect(isOutside, "\(curve)")
            }
        }
    }

    @Test func stampsSayWhatTheirNamesMean() async throws {
        for (members, expected) in [
            (##""stampType":"ForComment""##, ["FOR COMMENT"]),
            (##""stampType":"Custom","title":"SBApproved""##, ["APPROVED"]),
            (##""stampType":"Custom","title":"Needs Revision","subtitle":"by Ana""##, ["NEEDS REVISION", "by Ana"]),
        ] {
            let stamp = try #require(
                try await appearance(##""type":"pspdfkit/stamp","bbox":[0,0,150,50],\##(members)"##))
            #expect(lines(stamp.stream).words == expected)
        }
    }
}

extension String {
    fileprivate func components(of word: String) -> Int { ranges(of: word).count }
}
