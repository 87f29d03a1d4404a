// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A way for named posts that is not straight to the observers. Known to the module that knows names
/// and notifications.
@_spi(Engine) open class PostInterceptor: @unchecked Sendable {
    // Sendable: nothing is stored here; a subclass answers for itself.

    /// For subclasses.
    public init() {}
}
