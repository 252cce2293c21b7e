@testable import DocumentEngine

extension FuzzTarget {
    static let requests: [FuzzTarget] = [
        FuzzTarget(
            "multipart",
            [
                " --x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n--x\r\nContent-Disposition: form-data; name=title\r\n\r\n\r\n--x--\r\n"
            ]
        ) { bytes in
            let (first, second) = halves(bytes)
            guard let expected = try? form([bytes.dropFirst()]) else { return }
            try hold((try? form([first, second])) == expected, "split, it reads a different form")
        },
        FuzzTarget(
            "content-type", [#"multipart/form-data; boundary="a b"; charset=utf-8"#, "multipart/form-data;boundary=x"]
        ) {
            guard let boundary = MultipartParser.boundary(contentType: String(decoding: $0, as: UTF8.self)) else {
                return
            }
            try hold((1...70).contains(boundary.utf8.count), "a boundary of \(boundary.utf8.count) bytes")
        },
        FuzzTarget("query", ["a=1&b=%C3%A9+x&c&=d&a=2"]) { _ = Query(Substring(decoding: $0, as: UTF8.self)) },
        FuzzTarget("range", ["bytes=0-499", "bytes=-7", "bytes=9-"]) { bytes in
            let length = Int64(bytes.first ?? 0)
            let range = ByteRange(header: String(decoding: bytes.dropFirst(), as: UTF8.self), of: length)
            if case .part(let part) = range {
                try hold(part.lowerBound >= 0 && part.upperBound <= length && !part.isEmpty, "\(part) of \(length)")
            }
        },
        FuzzTarget("notice", ["7:12", "7", "revoked"]) { bytes in
            guard let notice = ClusterMessage(String(decoding: bytes, as: UTF8.self)) else { return }
            try hold(ClusterMessage(notice.text) == notice, "the notice read back differs")
        },
    ]

    /// The parts of a form, each with its content joined.
    private static func form(_ pieces: [ArraySlice<UInt8>]) throws -> [[UInt8]] {
        var parser = MultipartParser(boundary: "x")
        var parts: [[UInt8]] = []
        for piece in pieces {
            for event in try parser.feed(piece) {
                switch event {
                case .part(let head): parts.append(Array("\(head)\n".utf8))
                case .content(let bytes): parts[parts.count - 1] += bytes
                case .end: parts.append([])
                }
            }
        }
        try parser.finish()
        return parts
    }
}
