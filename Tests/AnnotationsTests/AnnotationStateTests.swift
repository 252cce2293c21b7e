import Annotations
import Testing

@Suite("States of annotations") struct AnnotationStateTests {
    @Test func aStateIsReadInAnyCaseAndOnlyInItsModel() {
        #expect(AnnotationState(state: "Accepted", model: "Review") == .accepted)
        #expect(AnnotationState(state: "completed", model: nil) == .completed)
        #expect(AnnotationState(state: "None", model: "review") == .unset)
        #expect(AnnotationState(state: "Marked", model: "Marked") == .marked)
        for (state, model) in [("Accepted", "Marked"), ("Marked", "Review"), ("Fine", "Review"), ("", "")] {
            #expect(AnnotationState(state: state, model: model) == nil)
        }
        #expect(AnnotationState(state: nil, model: "Review") == nil)
        #expect(
            AnnotationState.allCases.map(\.title).joined(separator: " ")
                == "Accepted Rejected Cancelled Completed None Marked Unmarked")
    }

    @Test func aStateIsACommentThatOtherProgramsCanShow() throws {
        let root = try Content(#"{"v":2,"type":"pspdfkit/note","pageIndex":3,"bbox":[0,0,1,1],"text":"?"}"#)
        let state = Content.state(.cancelled, under: "r", root)
        try state.validate()
        #expect(state.state == .cancelled)
        #expect((state["type"], state["rootId"], state["pageIndex"]) == ("pspdfkit/comment", "r", 3))
        #expect(Annotation(id: "s", content: state).text == "Cancelled")
        // Only a comment sets a state.
        #expect(root.setting(.accepted).state == nil)
        #expect(Content.comment(.plain("Accepted"), under: "r", root).state == nil)
    }

    @Test func theNewestOfEachPersonAndModelCounts() throws {
        let root = try Content(#"{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[0,0,1,1]}"#)
        func set(_ state: AnnotationState, by user: String?, named name: String? = nil) -> Record {
            Record(
                id: "s",
                content: Content.state(state, under: "r", root).changing {
                    $0["creatorName"] = name.map(JSON.string)
                }, createdBy: user)
        }
        var thread = [set(.accepted, by: "ana"), set(.rejected, by: "bo"), set(.marked, by: "ana")]
        #expect(AnnotationStates(thread).entries.map(\.state) == [.accepted, .rejected, .marked])
        #expect(AnnotationStates(thread).review == .rejected)
        thread.append(set(.completed, by: "ana"))
        #expect(AnnotationStates(thread).entries.map(\.state) == [.rejected, .marked, .completed])
        thread.append(set(.unset, by: "bo"))
        #expect(!AnnotationStates(thread).isResolved)
        // States of the PDF have no user: their names tell people apart.
        let names = [set(.accepted, by: nil, named: "A"), set(.rejected, by: nil, named: "B"), set(.accepted, by: "A")]
        #expect(AnnotationStates(names).entries.count == 3)
        #expect(AnnotationStates([set(.marked, by: "ana")]).review == nil)
        #expect(AnnotationStates([]).isResolved == false)
    }
}
