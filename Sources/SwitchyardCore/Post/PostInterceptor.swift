// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// An object through which a center's named posts go before observers get them. The module
/// Switchyard subclasses it.
@_spi(Engine) open class PostInterceptor: @unchecked Sendable {
    // Sendable: nothing is stored here; a subclass answers for itself.

    /// Makes an interceptor. For subclasses.
    public init() {}

    /// Told that an observer was registered that hears the latest value of this topic and subject
    /// first.
    open func observesLatest(_ topic: Topic, _ subject: Subject) {}

    /// Takes out the latest value of a name and subject.
    open func removeLatest(
        _ topic: Topic, _ subject: Subject, from engine: _NotificationEngine
    ) -> AnyRetainedValue? {
        engine.takeLatest(topic, subject)
    }
}
