import SystemPackage

/// Takes the new and changed objects of a PDF, one by one.
protocol ObjectUpdate: AnyObject {
    /// Whether nothing has changed yet.
    var isEmpty: Bool { get }

    /// Returns an unused object number.
    func number() -> ObjectID

    /// - Parameter json: the object in qpdf's JSON.
    /// - Throws: ``PDFError/damaged`` if it is not an object.
    func add(_ json: ArraySlice<UInt8>, as id: ObjectID) throws

    func add(stream: [UInt8], _ entries: [String: PDFObject]) throws -> ObjectID

    /// - Parameter json: the dictionary of the stream in qpdf's JSON.
    func add(stream: [UInt8], _ json: ArraySlice<UInt8>, as id: ObjectID) throws

    /// Removes an object to which nothing refers any more.
    func free(_ id: ObjectID) throws

    /// Writes what is still waiting, and what ends the update.
    func end() throws
}

extension FileDescriptor {
    /// - Throws: ``PDFError/cannotWrite(_:)``
    func writeResult(_ bytes: some Sequence<UInt8>) throws(PDFError) {
        do { try writeAll(bytes) } catch let error as Errno {
            throw .cannotWrite(error.rawValue)
        } catch {
            throw .cannotWrite(Errno.ioError.rawValue)
        }
    }
}
