// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardCore

/// A turn of a durable observer's handler, which takes the first waiting message.
struct DurableTurn: NotificationMessage {
    typealias Subject = Never
    let desk: DurableDesk

    /// The options of every handler. A context's bound applies to observations without a bound of
    /// their own, and a turn that it drops would be missing for ever. So turns have a bound that
    /// they can't come to: the server limits the messages without an answer, and each has one turn.
    static let options = ObservationOptions.bounded(.refuse(above: .max))

    func handle(_ handler: (DurableNotification) throws -> Void) throws {
        guard let message = desk.takeTurn(), let notification = desk.read(message) else { return }
        do {
            try desk.following(message, notification) { try handler(notification) }
        } catch {
            throw desk.refuse(message, notification, error)
        }
        desk.answer("+ACK", message.key, isHandled: true)
    }

    func handleAsync(
        _ handler: @Sendable (DurableNotification) async throws -> Void
    ) async throws {
        guard let message = desk.takeTurn(), let notification = desk.read(message) else { return }
        do {
            try await desk.following(async: message, notification) {
                try await handler(notification)
            }
        } catch {
            throw desk.refuse(message, notification, error)
        }
        desk.answer("+ACK", message.key, isHandled: true)
    }
}
#endif
