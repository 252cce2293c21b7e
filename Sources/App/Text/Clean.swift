import Screen

/// A text that is put together and then asked to fit: `clean("page \(number)").truncated(to: 20)`.
func clean(_ text: CleanText) -> CleanText { text }
