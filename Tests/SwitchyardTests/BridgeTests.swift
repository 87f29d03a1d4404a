// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

@Suite("The bridge to Foundation's center", .serialized) struct BridgeTests {
    let ours = Switchyard.NotificationCenter.default
    let foundation = Foundation.NotificationCenter.default

    @Test(.rule(34))
    func `A post on Foundation's center is heard on ours, on the posting thread`() {
        let name = Notification.Name("bridged")
        let log = Log<String>()
        let token = ours.observe(name) { note in
            log.add("\(threadName) \(note.userInfo?["key"] ?? "-")")
        }
        onThread("poster") { [foundation] in
            foundation.post(name: name, object: nil, userInfo: ["key": "value"])
        }
        #expect(log.entries == ["poster value"])
        token.cancel()
        foundation.post(name: name, object: nil)
        #expect(log.entries.count == 1)
    }

    @Test(.rule(34)) func `An observer of any name hears Foundation's own names, and ours`() {
        let log = Log<String>()
        let token = ours.observe(nil) { log.add($0.name.rawValue) }
        foundation.post(name: UserDefaults.didChangeNotification, object: nil)
        ours.post(name: Notification.Name("ours"), object: nil)
        #expect(log.entries.contains(UserDefaults.didChangeNotification.rawValue))
        #expect(log.entries.contains("ours"))
        token.cancel()
    }

    @Test(.rule(34)) func `The way back is opt-in, and neither way loops`() {
        let name = Notification.Name("bothWays")
        let log = Log<String>()
        let token = ours.observe(name) { _ in log.add("ours") }
        let theirs = foundation.addObserver(forName: name, object: nil, queue: nil) { _ in
            log.add("foundation's")
        }
        ours.post(name: name, object: nil)
        #expect(log.entries == ["ours"])
        ours.postsToFoundation = true
        ours.post(name: name, object: nil)
        ours.postsToFoundation = false
        #expect(log.entries == ["ours", "ours", "foundation's"])
        foundation.post(name: name, object: nil)
        #expect(log.entries.dropFirst(3).sorted() == ["foundation's", "ours"])
        foundation.removeObserver(theirs)
        token.cancel()
    }

    @Test(.rule(34)) func `The guard against loops lets everything else through`() async {
        let name = Notification.Name("guarded")
        let log = Log<String>()
        let token = ours.observe(name) { log.add("\($0.userInfo?["from"] ?? "-")") }
        // This observer stands for a library that answers on Foundation's center, later, from a
        // task.
        let theirs = foundation.addObserver(forName: name, object: nil, queue: nil) { note in
            guard note.userInfo?["from"] as? String == "us" else { return }
            Task {
                Foundation.NotificationCenter.default.post(
                    name: name, object: nil, userInfo: ["from": "them"])
            }
        }
        ours.postsToFoundation = true
        ours.post(name: name, object: nil, userInfo: ["from": "us"])
        ours.postsToFoundation = false
        #expect(await log.arrival(of: 2) == ["us", "them"])
        // Another center that posts to Foundation's reaches the default one.
        let other = Switchyard.NotificationCenter()
        other.postsToFoundation = true
        other.post(name: name, object: nil, userInfo: ["from": "other"])
        #expect(log.entries == ["us", "them", "other"])
        foundation.removeObserver(theirs)
        token.cancel()
    }

    @Test(.rule(34)) func `A post that an observer there repeats is told apart from ours`() {
        let name = Notification.Name("again")
        // Foundation calls its observers in an order of its own, which changes from run to run:
        // with eight observers that post again, one comes before the bridge almost always.
        for _ in 0..<20 {
            let (heard, reposted) = (Log<Int>(), Log<Bool>())
            let token = ours.observe(name) { heard.add($0.userInfo?["number"] as? Int ?? -1) }
            let libraries = (0..<8).map { _ in
                foundation.addObserver(forName: name, object: nil, queue: nil) { _ in
                    guard reposted.entries.isEmpty else { return }
                    reposted.add(true)
                    Foundation.NotificationCenter.default.post(
                        name: name, object: nil, userInfo: ["number": 2])
                }
            }
            ours.postsToFoundation = true
            ours.post(name: name, object: nil, userInfo: ["number": 1])
            ours.postsToFoundation = false
            #expect(heard.entries == [1, 2])
            libraries.forEach(foundation.removeObserver)
            token.cancel()
        }
    }

    @Test(.rule(34))
    func `A post is heard by an observer that was registered while its like was handed over`() {
        let name = Notification.Name("registered meanwhile")
        let (heard, tokens) = (Log<String>(), Log<NotificationCenter.ObservationToken>())
        let theirs = foundation.addObserver(forName: name, object: nil, queue: nil) { [ours] _ in
            guard tokens.entries.isEmpty else { return }
            // The first one that hears this name on ours: the bridge does not hear the post under
            // way.
            tokens.add(ours.observe(name) { _ in heard.add("heard") })
            Foundation.NotificationCenter.default.post(name: name, object: nil)
        }
        ours.postsToFoundation = true
        ours.post(name: name, object: nil)
        #expect(heard.entries == ["heard"])
        ours.post(name: name, object: nil)
        #expect(heard.entries == ["heard", "heard"])
        ours.postsToFoundation = false
        foundation.removeObserver(theirs)
        for token in tokens.entries { token.cancel() }
    }

    @Test(.rule(34), .timeLimit(.minutes(4)))
    func `The guard does not reach tasks that an observer there starts`() async {
        let name = Notification.Name("later")
        let (heard, gate) = (Log<String>(), AsyncStream<Void>.makeStream())
        let theirs = foundation.addObserver(forName: name, object: nil, queue: nil) { note in
            guard note.userInfo == nil else { return }
            Task {
                for await _ in gate.stream { break }
                Foundation.NotificationCenter.default.post(name: name, object: nil)
            }
        }
        ours.postsToFoundation = true
        // No observer of ours hears the name yet, so the bridge does not hear the repeated post.
        ours.post(name: name, object: nil)
        ours.postsToFoundation = false
        foundation.removeObserver(theirs)
        let token = ours.observe(name) { _ in heard.add("heard") }
        gate.continuation.yield()
        #expect(await heard.arrival(of: 1) == ["heard"])
        token.cancel()
    }

    @Test(.rule(34, 43)) func `A name that is only retained is not heard from Foundation's center`()
    {
        let name = Notification.Name("retained")
        let letters = Log<String>()
        ours.onDeadLetter { if $0.contains(name.rawValue) { letters.add($0) } }
        ours.post(name: name, object: nil, retaining: .latest)
        foundation.post(name: name, object: nil)
        #expect(letters.entries == [])
        let heard = Log<String>()
        let token = ours.observe(name) { _ in heard.add("heard") }
        foundation.post(name: name, object: nil)
        #expect(heard.entries == ["heard"])
        token.cancel()
        ours.removeLatest(name)
        ours.onDeadLetter(nil)
    }

    @Test(.rule(34)) func `A center of one's own hears nothing of Foundation's`() {
        let name = Notification.Name("private")
        let log = Log<String>()
        let token = Switchyard.NotificationCenter().observe(name) { _ in log.add("heard") }
        foundation.post(name: name, object: nil)
        #expect(log.entries == [])
        token.cancel()
    }
}
