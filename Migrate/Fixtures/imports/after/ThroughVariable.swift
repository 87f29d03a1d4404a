import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

func postThrough(_ poster: Poster) { poster.center.post(name: .init("a"), object: nil) }
