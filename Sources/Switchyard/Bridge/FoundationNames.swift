// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The names under which Foundation itself posts. The bridge observes them on Foundation's center
/// for observers of any name, because it can't observe any name there; see ``FoundationBridge``.
enum FoundationNames {
    static let all: [String] = {
        var names: [Notification.Name] = [
            NSLocale.currentLocaleDidChangeNotification,
            Port.didBecomeInvalidNotification,
            Process.didTerminateNotification,
            UserDefaults.didChangeNotification,
            .NSCalendarDayChanged,
            .NSDidBecomeSingleThreaded,
            .NSFileHandleConnectionAccepted,
            .NSFileHandleDataAvailable,
            .NSFileHandleReadToEndOfFileCompletion,
            .NSSystemTimeZoneDidChange,
            .NSThreadWillExit,
            .NSWillBecomeMultiThreaded,
            FileHandle.readCompletionNotification,
        ]
        #if os(Linux)
        // The names of FoundationNetworking, which this module does not import.
        names.append(Notification.Name("NSHTTPCookieManagerCookiesChangedNotification"))
        names.append(Notification.Name("NSURLCredentialStorageChangedNotification"))
        #endif
        return names.map(\.rawValue)
    }()
}
