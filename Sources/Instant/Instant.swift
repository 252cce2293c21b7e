// The client library: clients, descriptors, documents and events, and the code that performs what InstantCore decides.
// Decisions about records, permissions and conflicts belong in InstantCore, everything about terminals in other
// modules.
//
// - API: the public types.
// - Session: the performer of one layer, its events and timers.
// - Store: the SQLite store of one layer.
// - Transport: HTTP requests, live channels, and the watch for network changes.
// - Files: the data folder: PDFs and their download, attachments, locks.
//
// `import Instant` suffices for a program: it re-exports the types of other modules that its API uses. Names that other
// modules are likely to have too, such as `Operation` and `Point`, are re-exported under longer ones.
public import Annotations
public import Authorization

@_exported public import struct Annotations.Annotation
@_exported public import enum Annotations.AnnotationKind
@_exported public import struct Annotations.AttachmentID
@_exported public import enum Annotations.CommentText
@_exported public import struct Annotations.Content
@_exported public import enum Annotations.ContentType
@_exported public import struct Annotations.JSONNumber
@_exported public import struct Annotations.JSONObject
@_exported public import struct Annotations.Location
@_exported public import enum Annotations.MarkupKind
@_exported public import struct Annotations.PageArea
@_exported public import struct Annotations.Timestamp
@_exported public import enum Authorization.GeneralPermission
@_exported public import struct Authorization.Grant
@_exported public import struct Authorization.RecordOperations
@_exported public import struct InstantCore.Conflict
@_exported public import enum InstantCore.ConflictResolution
@_exported public import enum InstantCore.DeliveryState
@_exported public import enum InstantCore.DocumentState
@_exported public import struct InstantCore.IntegrityReport
@_exported public import struct InstantCore.LayerPerson
@_exported public import struct InstantCore.LayerPresence
@_exported public import struct InstantCore.ListFilter
@_exported public import struct InstantCore.ListQuery
@_exported public import struct InstantCore.OwnPresence
@_exported public import struct InstantCore.SyncStatus
@_exported public import enum InstantCore.TokenNeed
@_exported public import enum SyncProtocol.ChangeKind

/// A record as the server stores it: an annotation or a comment, with its creator and group.
public typealias LayerRecord = Record

/// A point on a page.
public typealias PagePoint = Point

/// A box on a page.
public typealias PageRect = Rect

/// One entry of the `collaboration_permissions` claim.
public typealias CollaborationPermission = Permission

/// A JSON value, as in an annotation's ``Content``.
public typealias JSONValue = JSON
