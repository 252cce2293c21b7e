extension FixedWidthInteger {
    /// Returns the whole number nearest to a value, towards zero; 0 for what is not a number.
    ///
    /// For values from outside, such as the coordinates of a record: `Int(_:)` ends the process if the value does not fit.
    package init(saturating value: Double) {
        self = Self(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : value > 0 ? .max : 0)
    }
}
