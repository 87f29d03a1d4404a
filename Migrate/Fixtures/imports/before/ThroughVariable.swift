import Foundation

func postThrough(_ poster: Poster) { poster.center.post(name: .init("a"), object: nil) }
