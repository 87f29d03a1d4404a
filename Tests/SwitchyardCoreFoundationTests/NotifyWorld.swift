// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardWire
import TestSupport

@testable import SwitchyardCoreFoundation

/// A folder of names for one test. Tables in it stand for processes.
final class NotifyWorld: Sendable {
    let path = NSTemporaryDirectory() + "switchyard-" + UUID().uuidString.prefix(8)

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func table(
        watchingWith makeWatch: @escaping @Sendable () throws(NotifyError) -> NotifyWatch = {
            () throws(NotifyError) in try NotifyWatch()
        },
        reportingTo problems: Log<String>? = nil
    ) -> NotifyTable {
        NotifyTable(
            makeWatch: makeWatch, reportProblem: { problems?.add($0) },
            openFolder: { [path] () throws(NotifyError) in try Self.folder(in: path) })
    }

    /// Opens the folder of the names' files.
    func folder() throws(NotifyError) -> NotifyFolder { try Self.folder(in: path) }

    private static func folder(in path: String) throws(NotifyError) -> NotifyFolder {
        do throws(RuntimeFolderError) {
            return NotifyFolder(try RuntimeFolder(base: path, name: ".notify"))
        } catch {
            throw .failed("\(error)")
        }
    }

    /// The names of the folder's files.
    var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: path + "/.notify").sorted()
        }
    }

    func file(_ name: String) -> String { "\(path)/.notify/\(name)" }
}

/// Handlers' calls, and a queue for them.
final class NotifyCalls: Sendable {
    let log = Log<Int32>()
    private let queue = DispatchQueue(label: "handlers")

    /// A delivery that calls a handler, which notes down its token, and then calls `body`.
    func delivery(_ body: @escaping @Sendable (Int32) -> Void = { _ in }) -> NotifyDelivery {
        .handler(
            NotifyHandler(enqueue: { [queue] work in queue.async { work() } }) { [log] token in
                log.add(token)
                body(token)
            })
    }
}

func notifyName(_ text: String) throws -> NotifyName { try NotifyName(Array(text.utf8)) }

extension NotifyDelivery {
    /// A handler that does nothing until it is released, which calls `body`.
    static func handler(atEnd body: @escaping @Sendable () -> Void) -> NotifyDelivery {
        let last = Last(body)
        return .handler(
            NotifyHandler(enqueue: { $0() }, call: { _ in withExtendedLifetime(last) {} }))
    }

    private final class Last: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        deinit { body() }
    }
}
