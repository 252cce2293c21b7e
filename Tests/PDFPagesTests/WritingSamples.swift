import Annotations
import Foundation

/// One record of each kind, for pages of a common size.
enum WritingSamples {
    /// Members that PDF can represent.
    static let lasting: Set = [
        "type", "pageIndex", "opacity", "color", "rects", "note", "text", "icon", "lines", "strokeColor", "fillColor",
        "strokeWidth", "lineWidth", "strokeDashArray", "startPoint", "endPoint", "points", "lineCaps", "fontSize",
        "fontColor", "backgroundColor", "stampType", "title", "action", "creatorName", "createdAt", "rotation",
    ]

    private static let bodies: [(String, String)] = [
        (
            "highlight",
            ##""type":"pspdfkit/markup/highlight","bbox":[60,60,160,14],"rects":[[60,60,160,14]],"color":"#fcee7c","note":"why?","creatorName":"Ana","createdAt":"2024-06-25T18:22:16.000Z""##
        ),
        (
            "underline",
            ##""type":"pspdfkit/markup/underline","bbox":[60,80,160,14],"rects":[[60,80,160,14]],"color":"#2293fb""##
        ),
        (
            "strikeout",
            ##""type":"pspdfkit/markup/strikeout","bbox":[60,100,160,14],"rects":[[60,100,160,14]],"color":"#d1202f""##
        ),
        (
            "squiggly",
            ##""type":"pspdfkit/markup/squiggly","bbox":[60,120,160,14],"rects":[[60,120,160,14]],"color":"#bd10e0""##
        ),
        ("note", ##""type":"pspdfkit/note","bbox":[240,60,32,32],"text":"A note","icon":"help","color":"#ffd83f""##),
        (
            "text",
            ##""type":"pspdfkit/text","bbox":[60,150,150,70],"text":"Words that are broken into lines — with äöü and “quotes”","fontSize":14,"font":"Helvetica","fontColor":"#102080","backgroundColor":"#eeeeee","borderWidth":1,"borderColor":"#102080","horizontalAlign":"center","verticalAlign":"center""##
        ),
        (
            "turned text",
            ##""type":"pspdfkit/text","bbox":[230,150,40,120],"text":"Upwards","fontSize":14,"fontColor":"#800000","backgroundColor":"#ffeeee","rotation":90"##
        ),
        (
            "ink",
            ##""type":"pspdfkit/ink","bbox":[60,240,100,40],"lineWidth":3,"strokeColor":"#008040","lines":{"points":[[[60,240],[100,280],[160,240]],[[80,270]]],"intensities":[[0.5,0.5,0.5],[0.5]]}"##
        ),
        (
            "line",
            ##""type":"pspdfkit/shape/line","bbox":[60,300,150,20],"startPoint":[60,300],"endPoint":[210,320],"strokeColor":"#cc0000","strokeWidth":2,"lineCaps":{"start":"circle","end":"openArrow"},"fillColor":"#ffcccc""##
        ),
        (
            "rectangle",
            ##""type":"pspdfkit/shape/rectangle","bbox":[60,340,80,40],"strokeColor":"#000080","strokeWidth":2,"strokeDashArray":[4,2],"fillColor":"#ddddff","opacity":0.5"##
        ),
        (
            "ellipse",
            ##""type":"pspdfkit/shape/ellipse","bbox":[160,340,80,40],"strokeColor":"#008000","strokeWidth":3"##
        ),
        (
            "polygon",
            ##""type":"pspdfkit/shape/polygon","bbox":[60,400,80,40],"points":[[60,440],[100,400],[140,440]],"strokeColor":"#804000","strokeWidth":1,"fillColor":"#ffeedd""##
        ),
        (
            "polyline",
            ##""type":"pspdfkit/shape/polyline","bbox":[160,400,80,40],"points":[[160,440],[200,400],[240,440]],"strokeColor":"#804000","strokeWidth":2,"lineCaps":{"end":"closedArrow"}"##
        ),
        ("stamp", ##""type":"pspdfkit/stamp","bbox":[60,460,140,40],"stampType":"Approved","note":"by Ana""##),
        (
            "own stamp",
            ##""type":"pspdfkit/stamp","bbox":[220,460,60,60],"stampType":"Custom","title":"Blue one","color":"#0040ff","rotation":90"##
        ),
        (
            "link",
            ##""type":"pspdfkit/link","bbox":[60,520,60,14],"borderColor":"#0000ff","borderWidth":1,"action":{"type":"uri","uri":"https://example.com/?a=b"}"##
        ),
        (
            "inner link",
            ##""type":"pspdfkit/link","bbox":[140,520,60,14],"borderWidth":0,"action":{"type":"goTo","pageIndex":0}"##
        ),
        ("made up", ##""type":"made/up","bbox":[0,0,1,1]"##),
    ]

    static let records: [Record] =
        bodies.map { Record(id: $0.0.filter { $0 != " " }, content: content($0.1)) } + [reply]

    static let roots: [Record.ID: Record] = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })

    private static let reply = Record(
        id: "reply", content: .comment(.plain("so?"), under: "highlight", content(#""type":"pspdfkit/note""#)))

    static let image = Record(
        id: "image", content: content(#""type":"pspdfkit/image","bbox":[100,100,200,100]"#))

    private static func content(_ members: String) -> Content {
        var object = (try? JSON(parsing: "{\(members)}"))?.object ?? JSONObject()
        object["v"] = 1
        object["pageIndex"] = 0
        object["opacity"] = object["opacity"] ?? 1
        return Content(object)
    }

    /// Creates a picture of two rows and two columns.
    static func png(type: UInt8, bits: UInt8) -> [UInt8] {
        let parts = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(type)] ?? 1
        let rows = (0..<2).flatMap { row in [UInt8(0)] + (0..<(2 * parts)).map { UInt8(($0 + row) % 2) } }
        // Stored uncompressed, with zlib's header and checksum.
        let count = UInt16(rows.count)
        var stored: [UInt8] = [
            0x78, 0x01, 0x01, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8),
        ]
        stored += rows
        var (one, other): (UInt32, UInt32) = (1, 0)
        for byte in rows {
            one = (one + UInt32(byte)) % 65521
            other = (other + one) % 65521
        }
        stored += bytes(other << 16 | one)
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += chunk("IHDR", bytes(2) + bytes(2) + [bits, type, 0, 0, 0])
        if type == 3 { file += chunk("PLTE", [255, 0, 0, 0, 0, 255]) }
        return file + chunk("IDAT", stored) + chunk("IEND", [])
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }

    /// The checksum is not verified.
    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        bytes(UInt32(body.count)) + Array(name.utf8) + body + [0, 0, 0, 0]
    }
}
