// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import SwitchyardCore

extension DeliveryProblem.Kind {
    /// Notifications were lost between processes; the problem's `count` says how many.
    public static let distributedLoss = Self(named: "distributedLoss")
    /// Something is wrong with a peer, or with the connection to it.
    public static let transport = Self(named: "transport")
    /// Other processes could not find this one for a while, because its socket was removed.
    /// Processes that came in that time were not heard.
    public static let unreachable = Self(named: "unreachable")
    /// A post or an observer is of a kind that can't go between processes.
    public static let notDistributable = Self(named: "notDistributable")
}
