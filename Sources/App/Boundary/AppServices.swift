/// The world as the program sees it: what performs effects and answers with messages.
///
/// `perform` is called on the loop's thread, one effect after the other, in the order in which `update` asked for them.
/// It returns at once, except for `Effect.suspend` and `Effect.editExternally`, which hold the terminal, and never waits
/// for a write. It may wait for a read as long as a screen shows a picture, so that a quick answer is in the same one.
/// `post` may be called from there, and from any thread later.
package protocol AppServices: AnyObject {
    func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void)
}
