// A header.

import XCTest
import Foundation // for the center
import Dispatch

func postUnsorted() { NotificationCenter.default.post(name: .init("a"), object: nil) }
