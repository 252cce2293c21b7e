extension AnnotationKind {
    /// The Instant JSON member of the most visible colour; nil for kinds without one.
    private var colorMember: String? {
        switch self {
        case .highlight, .underline, .strikeOut, .squiggly, .note, .caret, .file: "color"
        case .ink, .line, .rectangle, .ellipse, .polygon, .polyline: "strokeColor"
        case .text: "fontColor"
        default: nil
        }
    }

    public var hasColor: Bool { colorMember != nil }

    fileprivate func colorMember(in object: JSONObject) -> String? {
        colorMember ?? (object["color"]?.string == nil ? nil : "color")
    }
}

extension Content {
    /// As written, usually `#rrggbb`; nil if absent.
    public var color: String? { Annotation(id: "", content: self).color }

    /// Returns the content with another colour, if its kind has a colour or the content already has one.
    ///
    /// - Parameter color: `#rrggbb`.
    public func changingColor(to color: String) -> Content {
        changing { object in
            let kind = AnnotationKind(of: object)
            if let member = kind.colorMember(in: object) { object[member] = .string(color) }
        }
    }
}
