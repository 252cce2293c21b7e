/// Why a text is no XML that is taken here, and where. It quotes nothing of the text but names of elements.
package struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        case unexpectedEnd
        case notUTF8
        /// Something else than this was expected.
        case expected(String)
        /// A document type could define entities that grow without bound or name files.
        case documentType
        case unknownEntity
        case forbiddenCharacter
        case attributeTwice(String)
        case wrongEnd(open: String)
        case tooDeep(limit: Int)
        case tooManyAttributes(limit: Int)
        case wrongRoot(String)
    }

    package let problem: Problem
    /// The byte at which it was noticed.
    package let offset: Int

    package init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }

    package var description: String {
        switch problem {
        case .unexpectedEnd: "it ends too early"
        case .notUTF8: "it is not UTF-8"
        case .expected(let what): "\(what) is expected here"
        case .documentType: "a document type is not taken"
        case .unknownEntity: "this entity is not one of XML's own"
        case .forbiddenCharacter: "XML does not allow this character"
        case .attributeTwice(let name): "the attribute \(name) is there twice"
        case .wrongEnd(let open): "the element \(open) is still open"
        case .tooDeep(let limit): "elements are nested deeper than \(limit)"
        case .tooManyAttributes(let limit): "an element has more than \(limit) attributes"
        case .wrongRoot(let name): "the outermost element has to be \(name)"
        }
    }
}
