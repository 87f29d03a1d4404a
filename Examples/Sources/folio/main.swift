// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import ArgumentParser
import SwitchyardConsole

StandardStreams.prepare(for: "folio")
FolioCommand.main()
