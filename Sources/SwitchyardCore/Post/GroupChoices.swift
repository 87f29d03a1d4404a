// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The choices of one post from groups.
struct GroupChoices {
    /// The number of the last registration that hears the post.
    let last: UInt64
    /// The observations that hear it, where a post is not for all that match.
    let admits: ((Observation) -> Bool)?
    /// Whether another process chooses, if no member here can hear the post.
    let mayGoElsewhere: Bool
    /// The groups of which a member was chosen.
    var served: [AnyDeliveryGroup] = []
    /// The member that was chosen for the delivery under way.
    var chosen: DeliveryGroup.Choice?
    /// Whether that member has the delivery, whatever becomes of it.
    var isTaken = false

    init(
        last: UInt64, where admits: ((Observation) -> Bool)? = nil, mayGoElsewhere: Bool = false
    ) {
        self.last = last
        self.admits = admits
        self.mayGoElsewhere = mayGoElsewhere
    }
}
