// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CoreFoundation
internal import Foundation

// The functions of CoreFoundation's header CFNotificationCenter.h, under their C names. Swift calls
// them by the header's declarations, which is why the functions here have other names in Swift.
//
// Apple's documentation says which arguments may be null. A call with another one null does
// nothing.

extension CoreCenter {
    static let local: CoreCenter = LocalCenter()
    static let distributed: CoreCenter = DistributedCenter()
    static let darwin: CoreCenter = DarwinCenter()
    private static let all = [local, distributed, darwin]

    /// The center that `pointer` stands for in C.
    fileprivate static func center(at pointer: UnsafeMutableRawPointer?) -> CoreCenter? {
        guard let pointer else { return nil }
        return all.first { $0.object.pointer == pointer }
    }
}

@_cdecl("CFNotificationCenterGetTypeID")
func notificationCenterType() -> UInt { CenterObject.type }

@_cdecl("CFNotificationCenterGetLocalCenter")
func localCenter() -> UnsafeMutableRawPointer { CoreCenter.local.object.pointer }

@_cdecl("CFNotificationCenterGetDistributedCenter")
func distributedCenter() -> UnsafeMutableRawPointer { CoreCenter.distributed.object.pointer }

@_cdecl("CFNotificationCenterGetDarwinNotifyCenter")
func darwinCenter() -> UnsafeMutableRawPointer { CoreCenter.darwin.object.pointer }

@_cdecl("CFNotificationCenterAddObserver")
func addObserver(
    _ center: UnsafeMutableRawPointer?, _ observer: UnsafeRawPointer?, _ callback: Callback?,
    _ name: UnsafeRawPointer?, _ object: UnsafeRawPointer?, _ suspensionBehavior: Int
) {
    guard let center = CoreCenter.center(at: center), let callback else { return }
    center.add(
        Registration.Request(
            callback: callback, observer: observer, name: string(at: name), object: object,
            suspensionBehavior: suspensionBehavior))
}

@_cdecl("CFNotificationCenterRemoveObserver")
func removeObserver(
    _ center: UnsafeMutableRawPointer?, _ observer: UnsafeRawPointer?, _ name: UnsafeRawPointer?,
    _ object: UnsafeRawPointer?
) {
    guard let center = CoreCenter.center(at: center), let observer else { return }
    center.remove(observer, name: string(at: name), object: object)
}

@_cdecl("CFNotificationCenterRemoveEveryObserver")
func removeEveryObserver(_ center: UnsafeMutableRawPointer?, _ observer: UnsafeRawPointer?) {
    guard let center = CoreCenter.center(at: center), let observer else { return }
    center.remove(observer)
}

@_cdecl("CFNotificationCenterPostNotification")
func postNotification(
    _ center: UnsafeMutableRawPointer?, _ name: UnsafeRawPointer?, _ object: UnsafeRawPointer?,
    _ userInfo: UnsafeRawPointer?, _ deliverImmediately: UInt8
) {
    guard let center = CoreCenter.center(at: center), let name else { return }
    center.post(name, object, userInfo, deliverImmediately == 0 ? [] : .deliverImmediately)
}

@_cdecl("CFNotificationCenterPostNotificationWithOptions")
func postNotificationWithOptions(
    _ center: UnsafeMutableRawPointer?, _ name: UnsafeRawPointer?, _ object: UnsafeRawPointer?,
    _ userInfo: UnsafeRawPointer?, _ options: UInt
) {
    guard let center = CoreCenter.center(at: center), let name else { return }
    center.post(name, object, userInfo, CoreCenter.PostOptions(rawValue: options))
}
#endif
