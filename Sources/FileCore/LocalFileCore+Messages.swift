package import Annotations

// What comes in, what goes out, and what is answered.
extension LocalFileCore {
    package enum Input: Sendable {
        /// The database as it was found when the engine started; nil: none. Comes first.
        case started(LocalFileState?, Place, alive: Set<FileUser>)
        /// The engine has lost its lock. It does nothing more.
        case stopped
        case opened(Caller, FileUser, isPrivate: Bool)
        case closed(FileUser)
        /// A process has ended, however often it had the file open.
        case gone(FileUser)
        /// Records of the layer as a window wants them. Of those that the core has no row of, the rows in the database.
        case pushed(Caller, [Edit], synced: [ByteOrdered: LocalFileState.Row])
        case writeAsked(Caller, WriteOrder)
        case revertAsked(Caller)
        case resolved(Caller, Decision)
        case shared(Caller, Bool)
        /// An engine of an earlier version has left this. The records are those of the file as it was then.
        case foundEarlier(EarlierState)
        /// The file may have changed.
        case changedOnDisk
        /// The file has another path. What has begun goes on with the old one.
        case moved(String)
        case tick
        /// - Parameter beside: paths of files beside the PDF that this engine, or one before it, has made.
        case looked(Ticket, Look, beside: Set<String>)
        case prepared(Ticket, Prepared)
        case exchanged(Ticket, Exchange)
        case inspected(Ticket, Inspection)
        case removed(Ticket, isGone: Bool)
        case copied(Ticket, Prepared)
        case stored(Ticket)
        case notStored(Ticket, reason: String)
        /// Another engine has opened the database since.
        case fenced(Ticket)
        /// Whether the database is removed as a whole.
        case forgotten(Ticket, Bool)
    }

    package enum Effect: Hashable, Sendable {
        /// Compare the file with the version that is known, and read it if it has another one.
        case look(Ticket, LocalFileState.Known)
        /// One transaction, durable if it is in the data folder. The database is moved there first if it is not there.
        case store(Ticket, [LocalFileState.Change], in: Place)
        /// Make a file beside the PDF that has the planned records: durable, folder included.
        case prepare(Ticket, WritePlan)
        /// Exchange the two files if the PDF still has this version; nil: whatever it has. Then say what came out.
        case exchange(Ticket, LocalFileState.Intent, replacing: FileVersion.Contents?)
        /// Put the file that came out back in its place. It is looked at again then.
        case putBack(Ticket, LocalFileState.Intent)
        case inspect(Ticket, LocalFileState.Intent)
        case remove(Ticket, Set<String>)
        /// Make a copy at another path.
        case copy(Ticket, WritePlan, to: String, isForced: Bool)
        /// Remove the database as a whole, its log and its free pages.
        case forget(Ticket)
        case removeEarlier(checksum: String)
        case publish(FileNews)
        case answer(Caller, Answer)
    }

    /// Where the database is.
    package enum Place: Hashable, Sendable {
        /// Usually in memory. It goes with the engine's data.
        case runtime
        case data
    }

    package struct Edit: Hashable, Sendable {
        package var id: Record.ID
        /// nil: deleted.
        package var record: Record?

        package init(id: Record.ID, record: Record?) { (self.id, self.record) = (id, record) }
    }

    /// A choice between the two versions of a conflict as the person saw them. It is void if either has changed.
    package struct Decision: Hashable, Sendable {
        package var id: Record.ID
        package var choice: Choice
        package var sides: LocalFileState.Sides

        package init(id: Record.ID, choice: Choice, sides: LocalFileState.Sides) {
            (self.id, self.choice, self.sides) = (id, choice, sides)
        }
    }

    package enum Choice: Hashable, Sendable {
        /// The version of the layer as it was when the file changed, or as it was edited since.
        case local
        case remote
        /// What the layer has now.
        case layer
    }

    package enum Look: Sendable {
        case same
        /// Only its place or its times are others.
        case touched(FileVersion)
        case read(FileReading)
        case failed(Problem)
    }

    package enum Exchange: Hashable, Sendable {
        /// It has not been tried: the file has another version.
        case changed
        case missing
        /// Exchanged. These contents came out; nil: not known yet.
        case done(FileVersion.Contents?)
        /// It is not known whether the exchange happened.
        case unclear(Problem)
    }

    /// What is at the two paths of an intent.
    package enum Inspection: Hashable, Sendable {
        /// nil: no file.
        ///
        /// - Parameter isContinued: whether the file begins with all bytes of the intent's version, and has more. It is newer
        ///   than the exchange then, whatever clocks say.
        case found(file: FileVersion?, hidden: FileVersion?, isContinued: Bool = false)
        case failed(Problem)
    }

    package enum Problem: Error, Hashable, Sendable {
        case missing
        case unreadable(String)
        /// Another program keeps writing the file.
        case changing
        /// Of the disk or the file system.
        case failed(String)
        case notStored(String)
        case openPrivately
        case openOtherwise
        /// Either version differs from the one the person saw, or the conflict is already resolved.
        case decidedUnseen
        case keptOnDisk(Int)
        case notOpen
        case exists
        case stopped
    }

    package enum Answer: Hashable, Sendable {
        /// The problem is why the file could not be read; what is kept of it is shown.
        case opened(Problem?)
        case done
        case written(Written)
        case reverted(Int)
        case failed(Problem)
    }

    package struct Written: Hashable, Sendable {
        package var records = 0
        /// Records that could not be written as they are. The file keeps its own version.
        package var unwritten: [Record.ID] = []
        package var conflicts = 0
        package var merged = FileNews()
    }
}
