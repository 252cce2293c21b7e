import Annotations

/// GRDB has a `Record` too; here it is ours.
typealias Record = Annotations.Record
