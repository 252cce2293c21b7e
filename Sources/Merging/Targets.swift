package import Annotations

extension Content {
    /// Returns the content with other ids of the annotation that it answers.
    package func renamingTargets(_ rename: (Record.ID) -> Record.ID) -> Content {
        let (root, target) = (self["rootId"]?.string, self["postilla"]?["inReplyTo"]?.string)
        guard root != nil || target != nil else { return self }
        return changing { object in
            if let root { object["rootId"] = .string(rename(root)) }
            guard let target, var aside = object["postilla"]?.object else { return }
            aside["inReplyTo"] = .string(rename(target))
            object["postilla"] = .object(aside)
        }
    }

    /// The ids of what it answers.
    package var targets: [ByteOrdered] {
        [self["rootId"]?.string, self["postilla"]?["inReplyTo"]?.string].compactMap { $0.map(ByteOrdered.init) }
    }
}
