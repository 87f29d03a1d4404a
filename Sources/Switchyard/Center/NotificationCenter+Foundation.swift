// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

extension NotificationCenter {
    /// Whether named posts on this center are posted on Foundation's default center too, for
    /// observers in libraries that do not know this one.
    ///
    /// False by default. A notification that came from Foundation is not posted there again. A
    /// distributed center ignores this property.
    public var postsToFoundation: Bool {
        get { engine.interceptor === FoundationInterceptor.shared && engine.interceptsPosts }
        set {
            if engine.interceptor === FoundationInterceptor.shared {
                engine.interceptsPosts = newValue
            }
        }
    }
}
