// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

/// Reports a problem to the hook of `NotificationCenter.default`, because C functions have no errors with
/// words. The hook prints it if the program sets none.
func report(_ problem: String) {
    NotificationCenter.default.engine.report(
        DeliveryProblem(.coreFoundation, "Darwin notifications: \(problem)"))
}

extension DeliveryProblem.Kind {
    /// A C function could not do what was asked.
    fileprivate static let coreFoundation = DeliveryProblem.Kind(named: "coreFoundation")
}
#endif
