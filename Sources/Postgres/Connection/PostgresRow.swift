import CPostgres

/// One row of a result, with columns counted from 0. Valid only inside the closure that receives it.
package struct PostgresRow {
    let result: OpaquePointer
    let index: CInt

    package func isNull(_ column: Int) -> Bool { cp_getisnull(result, index, CInt(column)) != 0 }

    /// Returns a column of type bigint.
    package func integer(_ column: Int) -> Int64 {
        bytes(column) { $0.reduce(0) { $0 << 8 | Int64($1) } }
    }

    package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

    package func text(_ column: Int) -> String { bytes(column) { String(decoding: $0, as: UTF8.self) } }

    package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

    /// Returns a column of type bytea.
    package func bytes(_ column: Int) -> [UInt8] { bytes(column) { Array($0) } }

    private func bytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let length = Int(cp_getlength(result, index, CInt(column)))
        return body(UnsafeRawBufferPointer(start: cp_getvalue(result, index, CInt(column)), count: length))
    }
}
