// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// An object through which a center's named posts go before observers get them. The module
/// Switchyard subclasses it.
@_spi(Engine) open class PostInterceptor: @unchecked Sendable {
    // Sendable: nothing is stored here; a subclass answers for itself.

    /// Makes an interceptor. For subclasses.
    public init() {}
}
