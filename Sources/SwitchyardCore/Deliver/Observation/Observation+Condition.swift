// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Observation {
    /// Whether only payloads that fulfil a condition are delivered to it.
    package var hasCondition: Bool { flow?.isFiltered == true }

    /// Whether a payload fulfils the observation's condition, if there is one; false once the
    /// observation has ended. For code that is not inside the observation.
    package func isWanted<Payload>(_ payload: Payload) -> Bool {
        isWanted { self.admits(payload, $0) }
    }

    /// Whether the condition admits a payload, which `admits` shows to it.
    func isWanted(_ admits: (DeliveryFilter) -> Bool) -> Bool {
        if !hasCondition { return true }
        return whileInside { flow?.filter.map(admits) ?? true } ?? false
    }

    /// Whether a payload fulfils the observation's condition. The caller is inside the observation.
    func admits<Payload>(_ payload: Payload, _ filter: DeliveryFilter) -> Bool {
        withHandler { (handler: _DeliveryHandler<Payload>) in handler.admits(payload, filter) }
    }

    /// Calls `body`, which uses the handler or the condition, inside the observation: the handler
    /// is not released meanwhile, and a `cancelAndWait()` that `body` calls does not wait for
    /// `body` itself.
    ///
    /// - Returns: The result of `body`; nil, without a call, if the observation has ended.
    func whileInside<Result>(_ body: () -> Result) -> Result? {
        HazardRecord.calling(self) { isCancelled ? nil : body() }
    }
}
