import Dispatch
import Foundation
import Switchyard
import XCTest
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func postSorted() { NotificationCenter.default.post(name: .init("a"), object: nil) }
