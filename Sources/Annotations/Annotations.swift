// The nouns of the field: record, annotation, comment, geometry and identifiers, with their Instant JSON.
// Nothing here knows a token, a network or a screen. JSON is read and written here as well, because the
// source text of numbers and every key we do not know must survive a round trip.
