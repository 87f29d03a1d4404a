// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The listeners, connections and faults of a network. Guard: the pump's lock.
struct NetworkState {
    /// The listeners, by address.
    var listeners: [String: NetworkListener] = [:]
    /// The direction in which each member's end of a connection sends, by descriptor. A closed
    /// end stays here until its number is used again.
    var ways: [Int32: NetworkPath] = [:]
    var wires: [UInt64: NetworkWire] = [:]
    var lastWire: UInt64 = 0
    var faults: [NetworkPath: NetworkFaults] = [:]
}
