/// The reason why an XML text is rejected, and the position. Quotes only names of elements and attributes.
package struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        case unexpectedEnd
        case notUTF8
        /// Expected this instead.
        case expected(String)
        /// Rejected because it could define entities that expand without bound or reference files.
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
    /// The byte offset at which the problem was detected.
    package let offset: Int

    package init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }

    package var description: String {
        switch problem {
        case .unexpectedEnd: "unexpected end"
        case .notUTF8: "invalid UTF-8"
        case .expected(let what): "expected \(what)"
        case .documentType: "document types are not supported"
        case .unknownEntity: "unknown entity"
        case .forbiddenCharacter: "character not allowed in XML"
        case .attributeTwice(let name): "duplicate attribute \(name)"
        case .wrongEnd(let open): "the element \(open) is not closed"
        case .tooDeep(let limit): "elements nested deeper than \(limit)"
        case .tooManyAttributes(let limit): "more than \(limit) attributes in an element"
        case .wrongRoot(let name): "the root element must be \(name)"
        }
    }
}
