// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardWire

extension DistributedInterest {
    /// Writes SUBSCRIBE for this interest, or UNSUBSCRIBE.
    package func write(to writer: inout ByteWriter, isObserved: Bool) {
        InterestFrame(name: name, object: object).write(to: &writer, isObserved: isObserved)
    }

    init(_ frame: InterestFrame) { self.init(name: frame.name, object: frame.object) }
}
