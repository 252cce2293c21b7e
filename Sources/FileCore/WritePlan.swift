package import Annotations

extension LocalFileCore {
    package struct WriteOrder: Hashable, Sendable {
        /// Another path, absolute: the file stays as it is, and its changes stay to be written.
        package var copy: String?
        /// Writes over another file at that path, or makes the file again that is missing.
        package var isForced = false
        /// Rewrites the file without what was deleted from it.
        package var isCompact = false

        package init(copy: String? = nil, isForced: Bool = false, isCompact: Bool = false) {
            (self.copy, self.isForced, self.isCompact) = (copy, isForced, isCompact)
        }
    }

    /// What is to be written, as it was at one moment: an edit that comes later is not in it.
    package struct WritePlan: Hashable, Sendable {
        package enum Source: Hashable, Sendable {
            case file
            /// The copy that was kept of the file as it was last read or written.
            case copy
        }

        package var number: Int64
        /// The version that is written over.
        package var version: FileVersion
        package var source: Source
        /// By the ids of the layer. The file has ``LocalFileState/Row/base`` of each, and nothing else is changed in it.
        package var rows: [ByteOrdered: LocalFileState.Row]
        package var sharesIDs: Bool
        package var isCompact: Bool
        /// The path of the new file until the exchange.
        package var hidden: String
    }

    package enum Prepared: Hashable, Sendable {
        /// - Parameter unwritten: records that could not be written as they are. They hold up no others.
        case made(FileVersion, keepsIDs: Bool, unwritten: [Record.ID])
        /// The source is not the version that the plan is for.
        case changed
        case failed(Problem)
    }
}

extension LocalFileState {
    /// The versions of the file that are known.
    package struct Known: Hashable, Sendable {
        package var version: FileVersion?
        package var earlier: EarlierContents
    }
}
