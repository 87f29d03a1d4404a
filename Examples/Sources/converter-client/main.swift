// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Lists converters as they appear and vanish.
import ConverterMessages
import SwitchyardDistributed

let list = ConverterList(try DistributedNotificationCenter(domain: converterDomain))
list.show("Who is there?")
try list.begin()

// Who is killed says nothing, so somebody has to look.
let timer = Timer(timeInterval: 0.2, repeats: true) { _ in
    MainActor.assumeIsolated { list.removeVanished() }
}
RunLoop.main.add(timer, forMode: .common)
RunLoop.main.run()
