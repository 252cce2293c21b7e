package import GRDB
import GRDBSQLite
import Glibc

/// SQL functions for text search. All but the last compare bytes. SQLite's `instr()` counts characters and `GLOB` parses
/// its pattern for each row: both take several times as long.
///
/// - `contains_text(text, part)`: whether the text contains the part.
/// - `is_subsequence(text, letters)`: whether it contains the letters in order, with anything between them.
/// - `is_spelled(text, other)`: whether both are the same characters, however these are spelled: letters with accents
///   have several canonically equivalent forms (Unicode Standard Annex 15).
package enum TextFunctions {
    /// Adds the functions to a connection, before its statements are prepared.
    package static func add(to db: Database) throws {
        try add("contains_text", containsText, to: db)
        try add("is_subsequence", isSubsequence, to: db)
        try add("is_spelled", isSpelled, to: db)
    }

    private typealias Arguments = UnsafeMutablePointer<OpaquePointer?>?
    private typealias Function = @convention(c) (OpaquePointer?, CInt, Arguments) -> Void

    private static func add(_ name: String, _ function: Function, to db: Database) throws {
        let traits = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        let code = sqlite3_create_function_v2(db.sqliteConnection, name, 2, traits, nil, function, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(db.sqliteConnection, code) }
    }

    private static let containsText: Function = { context, _, arguments in
        let (text, part) = (bytes(arguments?[0]), bytes(arguments?[1]))
        sqlite3_result_int(context, first(part, in: text) == nil ? 0 : 1)
    }

    private static let isSubsequence: Function = { context, _, arguments in
        var text = bytes(arguments?[0])
        var letters = bytes(arguments?[1])
        while !letters.isEmpty {
            // A letter includes the UTF-8 continuation bytes that follow.
            let count = letters.dropFirst().prefix { $0 & 0b1100_0000 == 0b1000_0000 }.count + 1
            guard let found = first(UnsafeRawBufferPointer(rebasing: letters.prefix(count)), in: text) else {
                return sqlite3_result_int(context, 0)
            }
            text = UnsafeRawBufferPointer(rebasing: text[(found + count)...])
            letters = UnsafeRawBufferPointer(rebasing: letters[count...])
        }
        sqlite3_result_int(context, 1)
    }

    private static let isSpelled: Function = { context, _, arguments in
        for value in [arguments?[0], arguments?[1]] where sqlite3_value_type(value) == SQLITE_NULL {
            return sqlite3_result_null(context)
        }
        let (text, other) = (bytes(arguments?[0]), bytes(arguments?[1]))
        let isSame =
            text.elementsEqual(other)
            || mayBeSpelledOtherwise(text)
                && String(decoding: text, as: UTF8.self) == String(decoding: other, as: UTF8.self)
        sqlite3_result_int(context, isSame ? 1 : 0)
    }

    /// Texts of ASCII have one form, and are compared most often.
    private static func mayBeSpelledOtherwise(_ text: UnsafeRawBufferPointer) -> Bool { text.contains { $0 >= 0x80 } }

    /// Returns a text in SQLite's memory, including NULs; empty for NULL.
    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        // Read the text first: this can convert the value and change its length.
        let start = sqlite3_value_text(value)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    /// Returns where the part starts; `memchr` finds its first byte.
    private static func first(_ part: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer) -> Int? {
        guard !part.isEmpty else { return 0 }
        guard let sought = part.baseAddress, let start = text.baseAddress else { return nil }
        var offset = 0
        while text.count - offset >= part.count {
            let room = text.count - offset - part.count + 1
            guard let found = memchr(start + offset, CInt(part[0]), room) else { return nil }
            if memcmp(found, sought, part.count) == 0 { return UnsafeRawPointer(found) - start }
            offset = UnsafeRawPointer(found) - start + 1
        }
        return nil
    }
}
