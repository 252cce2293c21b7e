// The domain's data types: record, annotation, comment, geometry and identifiers, with their Instant JSON. JSON is read
// and written here, because the source text of numbers and every unknown key must survive a round trip. Tokens,
// networks and screens do not belong here.
