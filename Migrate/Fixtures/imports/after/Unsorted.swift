// A header.

import XCTest
import Foundation // for the center
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue
import Dispatch

func postUnsorted() { NotificationCenter.default.post(name: .init("a"), object: nil) }
