// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The observers that hear a post whose payload is kept: all, but for some of those that hear the latest value first.
struct KeptHearers: Sendable {
    /// The number of the last registration that hears the post; later observers hear the kept value instead. Ordinary
    /// observers hear the post all the same.
    var last: UInt64 = .max
    /// Whether a later value is known, so that this one must not take its place while the center is suspended.
    var isStale = false

    func admit(_ observation: Observation) -> Bool {
        observation.sequence <= last || !observation.replaysLatest
    }
}
