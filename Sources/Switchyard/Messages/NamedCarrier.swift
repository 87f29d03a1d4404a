// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) package import SwitchyardCore

/// Carries messages under their name.
package final class NamedCarrier<Message>: _MessageCarrier<Message> {
    let conversion: NamedConversion<Message>

    package init(_ conversion: NamedConversion<Message>) {
        self.conversion = conversion
        super.init()
    }

    override package func post(
        _ message: Message, subject: Subject, object: Any?, through engine: NotificationEngine,
        for wait: PostWait?
    ) -> PostReceipt {
        engine.post(message, subject: subject, object: object, via: conversion, for: wait)
    }

    override package func post(
        retaining message: Message, subject: Subject, object: Any?,
        through engine: NotificationEngine, for wait: PostWait?
    ) -> PostReceipt {
        engine.post(
            retaining: message, subject: subject, object: object, via: conversion, for: wait)
    }

    override package func latest(
        about subject: Subject, in engine: NotificationEngine
    ) -> Message? {
        let payload: NamedPayload? = engine.latest(.name(conversion.name.rawValue), subject)
        return payload.flatMap { try? conversion.message(of: $0) }
    }

    override package func removeLatest(
        about subject: Subject, in engine: NotificationEngine
    ) -> Message? {
        let payload: NamedPayload? = engine.removeLatest(.name(conversion.name.rawValue), subject)
        return payload.flatMap { try? conversion.message(of: $0) }
    }

    override package func adapt(
        _ handler: _DeliveryHandler<Message>
    ) -> (handler: _AnyDeliveryHandler, topic: Topic) {
        (NamedAdapter(handler, conversion), .name(conversion.name.rawValue))
    }
}
