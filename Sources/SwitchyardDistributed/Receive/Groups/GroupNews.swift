// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The groups of a process that has come, read from what it wants: nothing is read any more under
/// the locks that posts wait for.
struct GroupNews: Sendable {
    let groups: [GroupInterest]
    /// Whether the process says with an interest that it chooses the members of groups.
    let chooses: Bool

    /// Reads the interests of a process, and passes over those that tell of no group.
    init(_ interests: some Sequence<DistributedInterest>) {
        var (groups, chooses): ([GroupInterest], Bool) = ([], false)
        for interest in interests where interest.isForGroups {
            if interest == GroupInterest.choice {
                chooses = true
            } else if let group = GroupInterest(interest) {
                groups.append(group)
            }
        }
        self.groups = groups
        self.chooses = chooses
    }
}
