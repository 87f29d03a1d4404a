// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Lists converters as they appear and vanish.
import ConverterMessages
import SwitchyardDistributed

let center = try DistributedNotificationCenter(domain: converterDomain)
// A converter that is killed may have posted more than came here. The list shows that it has vanished,
// which is all that the user needs to know.
center.onLoss { _ in }
let list = ConverterList(center)
list.show("Who is there?")
try list.begin()

// A killed converter says nothing, so the client has to look.
let timer = Timer(timeInterval: 0.2, repeats: true) { _ in
    MainActor.assumeIsolated { list.removeVanished() }
}
RunLoop.main.add(timer, forMode: .common)
RunLoop.main.run()
