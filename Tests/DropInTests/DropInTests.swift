// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization
import Testing

/// Two lines switch a module: the import and the alias, both in `Both.swift`.
@Suite("A module that was switched by two lines") struct DropInTests {
    @Test func `Files with Foundation alone, Switchyard alone and both mean one center`() {
        let formats = Mutex<[String]>([])
        let center = Converter.makeCenter()
        let converter = Converter(center: center)
        let listener = Listener(center: center) { format in
            formats.withLock { $0.append(format) }
        }
        converter.announce("RTF")
        #expect(converter.formats == ["RTF"])
        #expect(formats.withLock { $0 } == ["RTF"])
        #expect(Both().isOurs())
        listener.token.cancel()
    }

    @Test func `A queue that is written for Foundation is this queue`() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let converter = Converter(center: Converter.makeCenter())
                converter.announceLater(["RTF", "HTML"])
                RunLoop.current.run()
                #expect(converter.formats == ["HTML"])
                continuation.resume()
            }
        }
    }

    @Test func `An observer that is removed in deinit leaves nothing behind`() {
        let center = Converter.makeCenter()
        do { _ = Converter(center: center) }
        #expect(center.snapshot().entries.isEmpty)
    }
}
