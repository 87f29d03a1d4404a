// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// The interests that were observed without a pause, from one session to the next.
@Suite("Observed interests") struct ObservedInterestTests {
    private func name(_ name: String, of object: String? = nil) -> DistributedInterest {
        DistributedInterest(name: name, object: object)
    }

    @Test(.rule(40)) func `An interest that ends leaves the others as they were`() {
        var interests = ObservedInterests()
        interests.begin(name("a"), isConnected: true)
        interests.begin(name("b"), isConnected: true)
        interests.end(name("b"), isSubscribed: true)
        #expect(interests.beginSession() == [name("a")])
    }

    @Test(.rule(40)) func `An interest with a pause between two sessions counts from the second`() {
        var interests = ObservedInterests()
        interests.begin(name("a"), isConnected: true)
        interests.end(name("a"), isSubscribed: true)
        interests.begin(name("a"), isConnected: true)
        #expect(interests.all == [name("a")])
        #expect(interests.beginSession() == [])
        #expect(interests.beginSession() == [name("a")])
    }

    @Test(.rule(40)) func `An interest that got its subscription back had no pause`() {
        var interests = ObservedInterests()
        interests.begin(name("a"), isConnected: true)
        interests.end(name("a"), isSubscribed: true)
        interests.begin(name("a"), isConnected: true)
        interests.settle(name("a"))
        #expect(interests.beginSession() == [name("a")])
    }

    @Test(.rule(40)) func `An interest that begins between two sessions counts from the second`() {
        var interests = ObservedInterests()
        interests.begin(name("a"), isConnected: true)
        interests.begin(name("b"), isConnected: false)
        #expect(interests.all == [name("a"), name("b")])
        #expect(interests.beginSession() == [name("a")])
    }

    @Test func `A wider interest includes the topics of a narrower one`() {
        let topic = ReceivedTopic(name: "a", object: "o")
        let all: Set = [DistributedInterest(name: nil, object: nil)]
        #expect(all.include(topic))
        #expect(Set([name("a")]).include(topic))
        #expect(Set([name("a", of: "o")]).include(topic))
        #expect(!Set([name("b"), name("a", of: "p")]).include(topic))
    }
}
#endif
