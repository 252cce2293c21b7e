import Annotations

/// PDF names and their counterparts in Instant JSON.
enum AnnotationNames {
    /// Flags, bit 1 first (ISO 32000-1, table 165). Where PDF has `Print`, Instant JSON has `noPrint`.
    static let flags = [
        "invisible", "hidden", "noPrint", "noZoom", "noRotate", "noView", "readOnly", "locked", "toggleNoView",
        "lockedContents",
    ]

    /// Note icons (ISO 32000-1, 12.5.6.4), and the names Acrobat adds.
    static let icons = [
        "Comment": "comment", "Key": "key", "Note": "note", "Help": "help", "NewParagraph": "newParagraph",
        "Paragraph": "paragraph", "Insert": "insert", "Star": "star", "Check": "check", "Checkmark": "check",
        "Circle": "circle", "Cross": "cross", "RightArrow": "rightArrow", "RightPointer": "rightPointer",
    ]

    static func icon(_ name: String) -> String? {
        icons.first { $0.value.isExactly(name) && $0.key != "Checkmark" }?.key
    }

    /// Icons of file attachments (ISO 32000-1, 12.5.6.15).
    static let fileIcons = ["Graph": "graph", "PushPin": "pushPin", "Paperclip": "paperclip", "Tag": "tag"]

    /// Line ends (ISO 32000-1, table 176), without `None`.
    static let caps = [
        "Square": "square", "Circle": "circle", "Diamond": "diamond", "OpenArrow": "openArrow",
        "ClosedArrow": "closedArrow", "Butt": "butt", "ROpenArrow": "reverseOpenArrow",
        "RClosedArrow": "reverseClosedArrow", "Slash": "slash",
    ]

    /// An entry of this program's own.
    static let intensities = "PostillaIntensities"

    static func cap(_ name: String?) -> String { caps.first { $0.value == name }?.key ?? "None" }

    /// Stamp names (ISO 32000-1, 12.5.6.12), and the vendor's names.
    static let stamps: Set<String> = [
        "Accepted", "Approved", "AsIs", "Completed", "Confidential", "Departmental", "Draft", "Experimental",
        "Expired", "Final", "ForComment", "ForPublicRelease", "InformationOnly", "InitialHere", "NotApproved",
        "NotForPublicRelease", "PreliminaryResults", "Rejected", "Revised", "SignHere", "Sold", "TopSecret", "Void",
        "Witness",
    ]

    /// Text alignments, indexed by PDF's number.
    static let alignments = ["left", "center", "right"]
}
