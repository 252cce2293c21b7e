import Annotations
import TestSupport
import Testing

@testable import Interchange

/// The elements and attributes that are written are those of ISO 19444-1 (XFDF 3.0). `link` and `redact` are not in it:
/// other programs write them in the same way.
@Suite("The structure of XFDF") struct XFDFStructureTests {
    private static let pages = Array(repeating: PageFrame(width: 612, height: 792), count: 4)

    /// Of every annotation, then of markup annotations.
    private static let common: Set = ["page", "rect", "color", "date", "flags", "name", "title"]
    private static let markup = common.union(["creationdate", "opacity", "subject", "inreplyto", "replyType", "IT"])
    private static let border: Set = ["width", "dashes", "style"]

    private static let attributes: [String: Set<String>] = [
        "text": markup.union(["icon", "state", "statemodel"]),
        "highlight": markup.union(["coords"]), "underline": markup.union(["coords"]),
        "strikeout": markup.union(["coords"]), "squiggly": markup.union(["coords"]),
        "freetext": markup.union(border).union(["justification", "rotation", "fringe", "callout", "head"]),
        "ink": markup.union(border),
        "line": markup.union(border).union(["start", "end", "head", "tail", "interior-color"]),
        "square": markup.union(border).union(["intensity", "interior-color", "fringe"]),
        "circle": markup.union(border).union(["intensity", "interior-color", "fringe"]),
        "polygon": markup.union(border).union(["intensity", "interior-color"]),
        "polyline": markup.union(border).union(["head", "tail", "interior-color"]),
        "stamp": markup.union(["icon", "rotation"]), "caret": markup.union(["fringe", "symbol"]),
        "fileattachment": markup.union(["icon", "file", "size"]),
        "link": common.union(border).union(["opacity", "subject", "creationdate"]),
        "redact": markup.union(["coords", "interior-color"]),
    ]
    private static let required: [String: Set<String>] = [
        "highlight": ["coords"], "underline": ["coords"], "strikeout": ["coords"], "squiggly": ["coords"],
        "line": ["start", "end"],
    ]
    /// The children of each element, besides those of all.
    private static let children: [String: Set<String>] = [
        "freetext": ["defaultappearance", "defaultstyle"], "ink": ["inklist"], "polygon": ["vertices"],
        "polyline": ["vertices"], "fileattachment": ["data"], "link": ["OnActivation", "Dest"],
    ]
    private static let usualChildren: Set = ["contents", "contents-richtext"]
    private static let requiredChild = [
        "ink": "inklist", "polygon": "vertices", "polyline": "vertices", "fileattachment": "data",
    ]

    private func check(_ records: [Record], roots: [Record.ID: Record] = [:]) throws {
        let writer = XFDFWriter(pages: Self.pages)
        for record in records {
            let root = record.content["rootId"]?.string.flatMap { roots[$0] }
            let text = writer.add(record, under: root, file: [1, 2])
            guard !text.isEmpty else { continue }
            var reader = XMLReader(Array(text.utf8))
            guard case .start(let name, let attributes)? = try reader.next() else { throw BadElement(text: text) }
            let node = try XMLNode(name, attributes, from: &reader)
            let allowed = try #require(Self.attributes[node.name], "\(text)")
            let names = Set(node.attributes.keys)
            #expect(names.isSubset(of: allowed), "\(names.subtracting(allowed)): \(text)")
            let needed = Self.required[node.name, default: []].union(["page", "rect"])
            #expect(needed.isSubset(of: names), "\(needed.subtracting(names)): \(text)")
            let children = node.children.map(\.name)
            let known = Self.usualChildren.union(Self.children[node.name, default: []])
            #expect(Set(children).isSubset(of: known) && Set(children).count == children.count, "\(text)")
            if let child = Self.requiredChild[node.name] { #expect(children.contains(child), "\(text)") }
            for (key, value) in node.attributes {
                #expect(Self.isValid(value, for: key), "\(key)=\(value): \(text)")
            }
        }
    }

    private struct BadElement: Error { var text: String }

    private static func isValid(_ value: String, for name: String) -> Bool {
        switch name {
        case "color", "interior-color": value.firstMatch(of: /^#[0-9A-F]{6}$/) != nil
        case "date", "creationdate": value.hasPrefix("D:")
        case "page", "size", "rotation": Int(value).map { $0 >= 0 } ?? false
        case "rect", "fringe": value.split(separator: ",").compactMap { Double($0) }.count == 4
        case "start", "end": value.split(separator: ",").compactMap { Double($0) }.count == 2
        case "coords": value.split(separator: ",").compactMap { Double($0) }.count % 8 == 0
        case "callout": [4, 6].contains(value.split(separator: ",").compactMap { Double($0) }.count)
        case "opacity": Double(value).map { (0...1).contains($0) } ?? false
        case "width", "intensity": Double(value).map { $0 >= 0 } ?? false
        case "justification": ["left", "centered", "right"].contains(value)
        case "replyType": ["reply", "group"].contains(value)
        case "style": ["solid", "dash", "bevelled", "inset", "underline", "cloudy"].contains(value)
        case "head", "tail":
            [
                "None", "Square", "Circle", "Diamond", "OpenArrow", "ClosedArrow", "Butt", "ROpenArrow", "RClosedArrow",
                "Slash",
            ].contains(value)
        case "flags":
            value.split(separator: ",").allSatisfy {
                [
                    "invisible", "hidden", "print", "nozoom", "norotate", "noview", "readonly", "locked",
                    "togglenoview", "lockedcontents",
                ].contains($0)
            }
        default: true
        }
    }

    @Test(arguments: XFDFSamples.kinds, 0..<8 as Range<UInt64>)
    func randomAnnotationsHaveIt(kind: AnnotationKind, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        try check((0..<20).map { Record(id: "n\($0)", content: XFDFSamples.content(kind, &random)) })
    }

    /// Records as hostile or careless programs write them.
    @Test func recordsWithLittleInThemHaveIt() throws {
        for kind in AnnotationKind.known where kind != .comment {
            for members in ["", #","color":"red","opacity":7,"strokeWidth":-3,"rotation":-90,"rects":[[1,2]]"#] {
                let content = try Content(
                    #"{"v":1,"type":"\#(kind.type)","pageIndex":0,"bbox":[1,2,30,40]\#(members)}"#)
                // What the format demands and the record lacks.
                let lacks: Set<AnnotationKind> = [.line, .polygon, .polyline]
                guard !lacks.contains(kind) else { continue }
                try check([Record(id: "n", content: content)])
            }
        }
    }

    @Test func repliesStatesAndFilesHaveIt() throws {
        var random = SeededRandom(seed: 3)
        let root = Record(id: "r", content: XFDFSamples.content(.highlight, &random))
        let comment = Content.comment(.xhtml("<p>a <b>b</b></p>"), under: "r", root.content)
        let records = [
            Record(id: "c", content: comment),
            Record(id: "s", content: Content.state(.accepted, under: "r", root.content)),
            Record(
                id: "g",
                content: XFDFSamples.content(.caret, &random).changing {
                    $0["postilla"] = ["inReplyTo": "r", "replyType": "group"]
                }),
            Record(
                id: "f",
                content: try Content(
                    #"{"v":1,"type":"postilla/file","pageIndex":0,"bbox":[9,9,20,20],"fileName":"a.txt"}"#)),
            Record(
                id: "t",
                content: try Content(
                    ##"{"type":"pspdfkit/text","pageIndex":0,"bbox":[1,2,99,40],"text":"x","callout":{"start":[1,2],"end":[50,9],"cap":"circle","innerRectInset":[9,0,0,0]}}"##
                )),
            Record(
                id: "q",
                content: try Content(
                    ##"{"type":"pspdfkit/shape/rectangle","pageIndex":0,"bbox":[1,2,99,40],"cloudyBorderIntensity":2,"cloudyBorderInset":[9,9,9,9],"strokeColor":"#ff0000"}"##
                )),
        ]
        try check([root] + records, roots: ["r": root])
    }
}
