import Annotations
import Testing

@Suite("Attachments") struct AttachmentTests {
    private static let hex = String(repeating: "0a", count: 32)

    private static let others: [String] = [
        "", "0a", hex.uppercased(), "\(hex)0", "\(hex.dropLast())", "g\(hex.dropFirst())", "../\(hex.dropFirst(3))",
        "é\(hex.dropFirst(2))", "\(hex.dropLast())\0", "\u{FF10}\(hex.dropFirst(3))",
    ]

    @Test(arguments: others)
    func aNameIsSixtyFourLowerCaseHexDigits(text: String) {
        #expect(AttachmentID(text) == nil)
        #expect(AttachmentID(Self.hex)?.hex == Self.hex)
    }

    @Test func anImageNamesItsPicture() throws {
        let image = try Content(#"{"type":"pspdfkit/image","imageAttachmentId":"\#(Self.hex)"}"#)
        #expect(image.attachmentID?.hex == Self.hex)
        #expect(try Content(#"{"text":"\"imageAttachmentId\""}"#).attachmentID == nil, "mentioned in a text")
        #expect(try Content(#"{"imageAttachmentId":7}"#).attachmentID == nil)
        #expect(try Content(#"{"imageAttachmentId":"picture.png"}"#).attachmentID == nil, "kept, but not an id")
        #expect(try Content(#"{"custom":{"imageAttachmentId":"\#(Self.hex)"}}"#).attachmentID == nil, "not a member")
        #expect(try Content("{}").attachmentID == nil)
        // Rewriting the content writes the plain key: the name would take effect unchecked.
        let escaped = try Content(#"{"type":"pspdfkit/image","image\u0041ttachmentId":"\#(Self.hex)"}"#)
        #expect(escaped.attachmentID?.hex == Self.hex)
    }
}
