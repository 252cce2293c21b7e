/// What a parameter is bound to.
package enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    package static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
    package static func integer(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }
    package static func integer(_ number: Int) -> SQLValue { .integer(Int64(number)) }
    package static func integer(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
}
