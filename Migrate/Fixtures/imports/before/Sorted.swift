import Dispatch
import Foundation
import XCTest

func postSorted() { NotificationCenter.default.post(name: .init("a"), object: nil) }
