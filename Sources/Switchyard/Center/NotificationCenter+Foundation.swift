// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

extension NotificationCenter {
    /// Whether named posts on this center are posted on Foundation's default center too, for
    /// observers in libraries that do not know this one. Off at first. Neither way loops. A center
    /// that goes a way of its own, as a distributed one, does not do it.
    public var postsToFoundation: Bool {
        get { engine.interceptor === FoundationInterceptor.shared && engine.interceptsPosts }
        set {
            if engine.interceptor === FoundationInterceptor.shared {
                engine.interceptsPosts = newValue
            }
        }
    }
}
