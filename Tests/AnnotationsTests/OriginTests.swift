import Testing

@testable import Annotations

/// What an edit cannot change comes from the stored record, and is absent if that lacks it.
struct OriginTests {
    @Test(
        "The result of an edit",
        arguments: [
            // The caller left it out.
            (#"{"a":1}"#, #"{"creatorName":"Ana","createdAt":"t"}"#, #"{"a":1,"creatorName":"Ana","createdAt":"t"}"#),
            // The caller claims something else.
            (
                #"{"createdAt":"1990","a":1,"creatorName":"Bo"}"#, #"{"creatorName":"Ana","createdAt":"t"}"#,
                #"{"createdAt":"t","a":1,"creatorName":"Ana"}"#
            ),
            (#"{"creatorName":"Bo","createdAt":"t","a":1}"#, "{}", #"{"a":1}"#),
            // Stored values stay as they are, whatever they are.
            (#"{"creatorName":"Bo"}"#, #"{"creatorName":7,"createdAt":null}"#, #"{"creatorName":7,"createdAt":null}"#),
            // Only the server names users.
            (#"{"a":1,"createdBy":"ana","updatedBy":"ana"}"#, #"{"createdBy":"bo"}"#, #"{"a":1}"#),
            // The mark of a thread's root.
            (#"{"isCommentThreadRoot":true}"#, "{}", "{}"),
            ("{}", #"{"isCommentThreadRoot":true}"#, #"{"isCommentThreadRoot":true}"#),
            // A comment stays in its thread, and a comment.
            (
                #"{"type":"pspdfkit/comment","rootId":"y"}"#, #"{"type":"pspdfkit/comment","rootId":"x"}"#,
                #"{"type":"pspdfkit/comment","rootId":"x"}"#
            ),
            (#"{"text":"a"}"#, #"{"rootId":"x","text":"b"}"#, #"{"text":"a","rootId":"x"}"#),
            (
                #"{"type":"pspdfkit/note","text":"a"}"#, #"{"type":"pspdfkit/comment","rootId":"x"}"#,
                #"{"type":"pspdfkit/comment","text":"a","rootId":"x"}"#
            ),
            (#"{"type":"pspdfkit/note","text":"a"}"#, #"{"rootId":"x"}"#, #"{"text":"a","rootId":"x"}"#),
            // An annotation stays one, but may be of another kind.
            (
                #"{"type":"pspdfkit/comment","rootId":"x","a":1}"#, #"{"type":"pspdfkit/note"}"#,
                #"{"type":"pspdfkit/note","a":1}"#
            ),
            (#"{"type":"pspdfkit/text"}"#, #"{"type":"pspdfkit/note"}"#, #"{"type":"pspdfkit/text"}"#),
            (
                #"{"type":"pspdfkit/form-field/text"}"#, #"{"type":"pspdfkit/note"}"#, #"{"type":"pspdfkit/note"}"#
            ),
            // A comment that sets a state may set another one, but not none; and the reverse.
            (
                #"{"rootId":"x","postilla":{"state":"rejected","stateModel":"review"}}"#,
                #"{"rootId":"x","postilla":{"state":"accepted","stateModel":"review"}}"#,
                #"{"rootId":"x","postilla":{"state":"rejected","stateModel":"review"}}"#
            ),
            (
                #"{"rootId":"x","postilla":{"a":1}}"#,
                #"{"rootId":"x","postilla":{"state":"accepted","stateModel":"review"}}"#,
                #"{"rootId":"x","postilla":{"a":1,"state":"accepted","stateModel":"review"}}"#
            ),
            (
                #"{"postilla":{"state":"accepted","stateModel":"review"}}"#, #"{"rootId":"x"}"#, #"{"rootId":"x"}"#
            ),
            (
                #"{"postilla":{"state":"accepted","a":1}}"#, #"{"rootId":"x"}"#, #"{"postilla":{"a":1},"rootId":"x"}"#
            ),
        ])
    func result(edit: String, stored: String, wanted: String) throws {
        let kept = try Content(edit).keepingOrigin(of: try Content(stored))
        #expect(kept.text == wanted)
        // Parsed as strictly as external input, and final.
        #expect(try Content(kept.text).keepingOrigin(of: try Content(stored)).text == wanted)
    }

    /// An edit that the library made has everything already; its text is not written again.
    @Test func anEditThatHasEverythingKeepsItsText() throws {
        let text = #"{"v":1.0,"a":"\u0041\/","creatorName":"Ana","createdAt":"t","rootId":"x"}"#
        let stored = try Content(#"{"rootId":"x","creatorName":"Ana","createdAt":"t"}"#)
        #expect(try Content(text).keepingOrigin(of: stored).text.isExactly(text))
        #expect(try Content(text).withoutUsers.text.isExactly(text))
        #expect(try Content(#"{"createdBy":"a","b":1,"updatedBy":null}"#).withoutUsers.text == #"{"b":1}"#)
    }

    /// Names that only look alike are different.
    @Test func namesAreComparedByTheirBytes() throws {
        let stored = try Content("{\"creatorName\":\"Jose\u{301}\"}")
        let kept = try Content("{\"creatorName\":\"Jos\u{E9}\"}").keepingOrigin(of: stored)
        #expect(kept.text.isExactly(stored.text))
    }
}
