// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A group of observations, as the flow of a member knows it.
class AnyDeliveryGroup {
    /// The name by which its members are registered.
    let name: String

    init(name: String) { self.name = name }
}
