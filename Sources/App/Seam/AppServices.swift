/// The world as the program sees it: what performs effects and answers with messages.
///
/// `perform` is called on the loop's thread, one effect after the other, in the order in which `update` asked for them.
/// It returns at once, except for `Effect.suspend` and `Effect.editExternally`, which hold the terminal. Reads of the
/// local store are quick enough to be answered before it returns; `post` may be called from there, and from any thread
/// later.
package protocol AppServices: AnyObject {
    func perform(_ effect: Effect, post: @escaping @Sendable (Message) -> Void)
}
