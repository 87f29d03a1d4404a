// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyardCoreFoundation
public import Dispatch
internal import Foundation

// The functions of notify.h, under their C names. Swift calls them by the header's declarations,
// which is why the functions here have other names in Swift.

/// Returns the status of a call, and reports a reason that the status does not tell.
private func status(_ body: () throws(NotifyError) -> Void) -> UInt32 {
    do throws(NotifyError) {
        try body()
        return UInt32(NOTIFY_STATUS_OK)
    } catch {
        if let reason = error.reason { report(reason) }
        return error.status
    }
}

private func register(
    _ name: UnsafePointer<CChar>?, _ outToken: UnsafeMutablePointer<Int32>?,
    _ makeDelivery: () throws(NotifyError) -> NotifyDelivery
) -> UInt32 {
    status { () throws(NotifyError) in
        guard let outToken else { throw .nullInput }
        outToken.pointee = try NotifyTable.shared.register(NotifyName(name), makeDelivery())
    }
}

@_cdecl("notify_post")
func notifyPost(_ name: UnsafePointer<CChar>?) -> UInt32 {
    status { () throws(NotifyError) in try NotifyTable.shared.post(NotifyName(name)) }
}

@_cdecl("notify_register_check")
func notifyRegisterCheck(
    _ name: UnsafePointer<CChar>?, _ outToken: UnsafeMutablePointer<Int32>?
) -> UInt32 {
    register(name, outToken) { .none }
}

@_cdecl("notify_register_signal")
func notifyRegisterSignal(
    _ name: UnsafePointer<CChar>?, _ signal: Int32, _ outToken: UnsafeMutablePointer<Int32>?
) -> UInt32 {
    register(name, outToken) { () throws(NotifyError) in
        guard signal > 0, signal < NSIG else { throw .invalidSignal }
        return .signal(signal)
    }
}

@_cdecl("notify_register_file_descriptor")
func notifyRegisterFileDescriptor(
    _ name: UnsafePointer<CChar>?, _ descriptor: UnsafeMutablePointer<Int32>?, _ flags: Int32,
    _ outToken: UnsafeMutablePointer<Int32>?
) -> UInt32 {
    var made: NotifyPipe?
    let status = register(name, outToken) { () throws(NotifyError) in
        guard let descriptor else { throw .nullInput }
        guard flags & ~NOTIFY_REUSE == 0 else { throw .invalidRequest }
        if flags & NOTIFY_REUSE != 0 {
            return .pipe(try NotifyTable.shared.pipe(readEnd: descriptor.pointee))
        }
        let pipe = try NotifyPipe()
        made = pipe
        return .pipe(pipe)
    }
    // The descriptor is set last: that of a registration that failed is closed.
    if status == UInt32(NOTIFY_STATUS_OK), let made { descriptor?.pointee = made.readEnd }
    return status
}

@_cdecl("notify_register_dispatch")
func notifyRegisterDispatch(
    _ name: UnsafePointer<CChar>?, _ outToken: UnsafeMutablePointer<Int32>?,
    _ queue: UnsafeMutableRawPointer?, _ handler: (@convention(block) (Int32) -> Void)?
) -> UInt32 {
    register(name, outToken) { () throws(NotifyError) in
        guard let queue, let handler else { throw .nullInput }
        let target = QueuePointer(queue)
        return .handler(NotifyHandler(enqueue: { target.async($0) }, call: handler))
    }
}

// Apple's name.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Registers for `handler` to be called on `queue` when a name is posted, in this process or in
/// another of the user's: Apple's function for Swift, which has the header's other functions as
/// they are.
///
/// The handler is not called again before it has returned; notifications that come meanwhile lead
/// to one more call. Both are kept until `notify_cancel`. Safe from any thread.
///
/// - Parameters:
///   - name: The name, at least one byte and at most 65,535.
///   - outToken: The place for the registration's token.
///   - queue: The queue on which `handler` runs.
///   - handler: The handler to call, with the token.
/// - Returns: `NOTIFY_STATUS_OK`, or the number of the error.
@discardableResult
public func notify_register_dispatch(
    _ name: UnsafePointer<CChar>?, _ outToken: UnsafeMutablePointer<Int32>?,
    _ queue: DispatchQueue, _ handler: @escaping @Sendable (Int32) -> Void
) -> UInt32 {
    register(name, outToken) {
        .handler(NotifyHandler(enqueue: { work in queue.async { work() } }, call: handler))
    }
}

@_cdecl("notify_check")
func notifyCheck(_ token: Int32, _ check: UnsafeMutablePointer<Int32>?) -> UInt32 {
    status { () throws(NotifyError) in
        guard let check else { throw .nullInput }
        check.pointee = try NotifyTable.shared.check(token) ? 1 : 0
    }
}

@_cdecl("notify_set_state")
func notifySetState(_ token: Int32, _ state: UInt64) -> UInt32 {
    status { () throws(NotifyError) in try NotifyTable.shared.setState(token, state) }
}

@_cdecl("notify_get_state")
func notifyGetState(_ token: Int32, _ state: UnsafeMutablePointer<UInt64>?) -> UInt32 {
    status { () throws(NotifyError) in
        guard let state else { throw .nullInput }
        state.pointee = try NotifyTable.shared.getState(token)
    }
}

@_cdecl("notify_suspend")
func notifySuspend(_ token: Int32) -> UInt32 {
    status { () throws(NotifyError) in try NotifyTable.shared.suspend(token) }
}

@_cdecl("notify_resume")
func notifyResume(_ token: Int32) -> UInt32 {
    status { () throws(NotifyError) in try NotifyTable.shared.resume(token) }
}

@_cdecl("notify_cancel")
func notifyCancel(_ token: Int32) -> UInt32 {
    status { () throws(NotifyError) in try NotifyTable.shared.cancel(token) }
}

@_cdecl("notify_is_valid_token")
func notifyIsValidToken(_ token: Int32) -> Bool { NotifyTable.shared.isValid(token) }
#endif
