// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyardCoreFoundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// The reason why a function of notify.h did not do what was asked, by the header's numbers.
struct NotifyError: Error, Hashable {
    let status: UInt32
    /// The problem and the advice, where the number does not tell.
    let reason: String?

    static let invalidName = NotifyError(NOTIFY_STATUS_INVALID_NAME)
    static let invalidToken = NotifyError(NOTIFY_STATUS_INVALID_TOKEN)
    static let invalidFile = NotifyError(NOTIFY_STATUS_INVALID_FILE)
    static let invalidSignal = NotifyError(NOTIFY_STATUS_INVALID_SIGNAL)
    static let invalidRequest = NotifyError(NOTIFY_STATUS_INVALID_REQUEST)
    static let notAuthorized = NotifyError(NOTIFY_STATUS_NOT_AUTHORIZED)
    static let nullInput = NotifyError(NOTIFY_STATUS_NULL_INPUT)

    private init(_ status: Int32, _ reason: String? = nil) {
        self.status = UInt32(status)
        self.reason = reason
    }

    /// The system refused something.
    static func failed(_ reason: String) -> NotifyError {
        NotifyError(NOTIFY_STATUS_FAILED, reason)
    }
}

/// Reports a problem to the hook of `NotificationCenter.default`, because C functions have no
/// errors with words. The hook prints it if the program sets none.
func report(_ problem: String) {
    NotificationCenter.default.engine.report(
        DeliveryProblem(.coreFoundation, "Darwin notifications: \(problem)"))
}

extension DeliveryProblem.Kind {
    /// A C function could not do what was asked.
    fileprivate static let coreFoundation = DeliveryProblem.Kind(named: "coreFoundation")
}
#endif
