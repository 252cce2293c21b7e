import TestSupport
import Testing

@testable import DocumentEngine

/// Forms split at any position (RFC 7578).
@Suite("Multipart") struct MultipartParserTests {
    private static func read(_ body: [UInt8], boundary: String, cutAt cuts: [Int]) throws -> [String: [UInt8]] {
        var parser = MultipartParser(boundary: boundary)
        var parts: [String: [UInt8]] = [:]
        var current = ""
        var start = 0
        for end in cuts + [body.count] {
            for event in try parser.feed(body[start..<end]) {
                switch event {
                case .part(let head):
                    current = head.name
                    parts[current] = []
                case .content(let bytes): parts[current, default: []] += bytes
                case .end: break
                }
            }
            start = end
        }
        try parser.finish()
        return parts
    }

    private static let parts: [(String, String?, [UInt8])] = [
        ("empty", nil, []), ("text", nil, Array("é\r\n--\r\n".utf8)),
        // Repeated near-matches of the delimiter.
        ("file", "a;\"b.pdf", Array("\r\n--b\r\n--boundar\r\n\r\n--boundarx\n--boundary\r--boundary".utf8)),
        ("last", nil, [0, 13, 10, 45, 45]),
    ]

    @Test func everyCutReadsTheSame() throws {
        let body = Form(Self.parts.map { ($0.0, nil, $0.2) }, boundary: "boundary").body
        let wanted = Dictionary(uniqueKeysWithValues: Self.parts.map { ($0.0, $0.2) })
        #expect(try Self.read(body, boundary: "boundary", cutAt: []) == wanted)
        #expect(try Self.read(body, boundary: "boundary", cutAt: Array(1..<body.count)) == wanted)
        for cut in body.indices { #expect(try Self.read(body, boundary: "boundary", cutAt: [cut]) == wanted) }
    }

    @Test func aFormThatEndsEarlyIsCut() throws {
        let body = Form(Self.parts.map { ($0.0, nil, $0.2) }, boundary: "boundary").body
        for length in 0..<body.count - 3 {
            #expect(throws: MultipartParser.Failure.self) {
                try Self.read(Array(body.prefix(length)), boundary: "boundary", cutAt: [])
            }
        }
    }

    @Test func whatComesBeforeAndAfterIsNoPart() throws {
        let body = Array("preamble\r\n--b\r\ncontent-disposition: form-data; name=x\r\n\r\n1\r\n--b--\r\nepilogue".utf8)
        #expect(try Self.read(body, boundary: "b", cutAt: []) == ["x": [0x31]])
    }

    @Test(arguments: [
        "--b\r\nContent-Disposition: form-data\r\n\r\nnameless\r\n--b--", "--b\r\nno colon\r\n\r\nx\r\n--b--",
        "--b\r\n" + String(repeating: "x", count: 9000) + "\r\n\r\nx\r\n--b--",
    ])
    func aHeadThatIsNoneIsRefused(_ text: String) {
        #expect(throws: MultipartParser.Failure.self) {
            try Self.read(Array(text.utf8), boundary: "b", cutAt: [])
        }
    }

    /// The steps for a body that arrives in pieces of this size.
    private static func steps(_ body: String, pieces size: Int) throws -> Int {
        var parser = MultipartParser(boundary: "b")
        var rest = Array(body.utf8)[...]
        while !rest.isEmpty {
            _ = try parser.feed(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return parser.steps
    }

    /// No content takes many more steps than a plain one of the same size, in pieces of any size.
    @Test(arguments: [1, 7, 1000, 1 << 20]) func hostileFormsTakeNoMoreStepsThanPlainOnes(_ size: Int) throws {
        func fill(_ piece: String, _ count: Int) -> String {
            String(repeating: piece, count: count / piece.utf8.count)
        }
        let head = "--b\r\nContent-Disposition: form-data; name=f\r\n\r\n"
        // One that waits for the end of its line for 8 KB, behind what may come before it.
        let (before, line) = (fill("x", 20_000), fill("x", 8000))
        for (plain, hostile) in [
            (head + before, head + fill("\r\n--", 20_000)), (head + before, head + fill("\r", 20_000)),
            (head + before + line, head + before + "\r\n--b" + line),
            (head + before + line, before + "\r\n--b" + line),
            (head + line, "--b\r\nContent-Disposition: " + line), (head + line, "--b\r\n" + fill("x\r\n\n", 8000)),
        ] {
            let (few, many) = (try Self.steps(plain, pieces: size), try Self.steps(hostile, pieces: size))
            #expect(many <= 3 * few + 1000, "\(hostile.prefix(100).debugDescription)")
        }
    }

    /// The line of a delimiter is not buffered without end.
    @Test func aDelimiterWithoutALineEndIsRefused() throws {
        for start in ["--b", "preamble\r\n--b", "--b\r\nContent-Disposition: form-data; name=f\r\n\r\nx\r\n--b"] {
            var parser = MultipartParser(boundary: "b")
            _ = try parser.feed(Array((start + String(repeating: " ", count: 8000)).utf8))
            #expect(throws: MultipartParser.Failure.headTooLarge) {
                _ = try parser.feed(Array(String(repeating: " ", count: 1000).utf8))
            }
        }
    }

    @Test(
        arguments: [
            ("multipart/form-data; boundary=abc", "abc"), (#"multipart/form-data;charset=x; Boundary="a b""#, "a b"),
            ("multipart/form-data", nil), ("multipart/form-data; boundary=", nil),
            ("multipart/form-data; boundary=" + String(repeating: "x", count: 71), nil),
        ] as [(String, String?)])
    func theBoundaryIsInTheContentType(_ type: String, _ boundary: String?) {
        #expect(MultipartParser.boundary(contentType: type) == boundary)
    }

    /// Without a delimiter in the input, the parser holds back at most the delimiter's length.
    @Test func contentIsPassedOnAsItComes() throws {
        var parser = MultipartParser(boundary: "b")
        _ = try parser.feed(Array("--b\r\nContent-Disposition: form-data; name=f\r\n\r\n".utf8))
        var passed = 0
        for _ in 0..<100 {
            for case .content(let bytes) in try parser.feed([UInt8](repeating: 7, count: 1000)) {
                passed += bytes.count
            }
        }
        #expect(passed > 99_990)
    }
}
