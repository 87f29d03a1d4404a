// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The names under which Foundation itself posts: what an observer of any name hears of Foundation's
/// center. (The bridge can't observe any name there; see ``FoundationBridge``.)
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
        // FoundationNetworking's, which this module does not import.
        names.append(Notification.Name("NSHTTPCookieManagerCookiesChangedNotification"))
        names.append(Notification.Name("NSURLCredentialStorageChangedNotification"))
        #endif
        return names.map(\.rawValue)
    }()
}
