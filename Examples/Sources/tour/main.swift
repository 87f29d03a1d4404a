// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Foundation

// Fails if the output can't be written, which `print` does not report.
atexit {
    if fflush(nil) == 0 { return }
    let words = "tour: cannot write to standard output: \(String(cString: strerror(errno)))\n"
    FileHandle.standardError.write(Data(words.utf8))
    _exit(EXIT_FAILURE)
}
TourCommand.main()
