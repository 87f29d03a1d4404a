// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A post whose payload is kept for observers that come late.
///
/// The posting thread uses it.
final class KeptPost {
    let value: SharedLatestValue
    /// The observers here that hear the post; known once it was sent.
    var audience = Audience()

    init(_ value: SharedLatestValue) { self.value = value }
}
