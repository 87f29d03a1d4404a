// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A transport that tells the intake of the groups of other processes:
/// ``DistributedIntake/hasCome(_:wanting:)`` and ``DistributedIntake/isAway(_:)``.
package protocol GroupSharingTransport: DistributedTransport {}
