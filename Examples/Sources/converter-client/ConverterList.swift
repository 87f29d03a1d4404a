// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import ConverterMessages
import SwitchyardDistributed

/// The converters that are there, as a pop-up menu would show them.
@MainActor final class ConverterList {
    private let center: DistributedNotificationCenter
    private var formats: [Int32: String] = [:]
    /// The converters whose processes were not there at the last look.
    private var missing: Set<Int32> = []
    private var tokens: [ObservationToken] = []

    init(_ center: DistributedNotificationCenter) { self.center = center }

    /// Lists who is there, and who comes and goes from now on.
    func begin() throws {
        tokens = [
            center.observe(ConverterAdded.self, on: .main) { [weak self] message in
                self?.add(message)
            },
            center.observe(ConverterRemoved.self, on: .main) { [weak self] message in
                self?.remove(message.process, "says goodbye.")
            },
        ]
        // The list observes first, so that converters that begin just now are not missed.
        center.blockUntilReady(within: .seconds(1))
        try center.post(ConvertersWanted())
    }

    private func add(_ converter: ConverterAdded) {
        guard formats.updateValue(converter.format, forKey: converter.process) == nil else {
            return
        }
        show("\(converter.format) has come.")
    }

    private func remove(_ process: Int32, _ how: String) {
        guard let format = formats.removeValue(forKey: process) else { return }
        show("\(format) \(how)")
    }

    /// Removes converters that went without a goodbye: their processes are peers no more. At the second look,
    /// because a goodbye may still be on its way.
    func removeVanished() {
        let alive = Set(center.peers.map(\.peer.processIdentifier))
        let gone = Set(formats.keys).subtracting(alive)
        for process in gone where missing.contains(process) { remove(process, "has vanished.") }
        missing = gone
    }

    func show(_ event: String) {
        let all = formats.values.sorted().joined(separator: ", ")
        print("\(event) Converters: \(all.isEmpty ? "none" : all)")
        fflush(nil)
    }
}
