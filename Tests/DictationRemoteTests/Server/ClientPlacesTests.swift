import DictationTesting
import TestSupport
import Testing

@testable import DictationHTTP

@Suite struct ClientPlacesTests {
    private static func places(_ connections: Int = 16, workPerClient: Int = 4) -> ClientPlaces {
        ClientPlaces(
            .init(connections: connections, workPerClient: workPerClient, uploadBytes: 100, uploadBytesPerClient: 60))
    }

    @Test func silentConnectionsGiveWay() throws {
        var places = Self.places()
        let silent = (0..<16).map { _ in places.open("a") }
        #expect(silent.allSatisfy { $0.givingWay == nil })
        #expect(places.open("b").givingWay == silent[0].id, "The one that has rested longest.")
        places.know(silent[1].id)
        #expect(places.open("b").givingWay == silent[2].id, "One that was served before stays.")
        #expect(places.open("c").givingWay == silent[3].id && places.count == 16)
    }

    /// Connections that were served before, and rest now, must not keep newcomers out.
    @Test func aNewcomerGivesWayOnlyIfAllOthersWork() throws {
        var places = Self.places(2, workPerClient: 4)
        let served = (0..<2).map { _ in places.open("a").id }
        for id in served { places.know(id) }
        #expect(places.open("b").givingWay == served[0])
        try places.begin(served[1], for: "a")
        let last = places.open("b")
        #expect(last.givingWay != last.id && last.givingWay != served[1])
        var one = Self.places(1)
        let working = one.open("a").id
        try one.begin(working, for: "a")
        let refused = one.open("b")
        #expect(refused.givingWay == refused.id && one.isLeaving(refused.id) && one.count == 1)
    }

    @Test func theClientWithTheMostConnectionsGivesWay() throws {
        var places = Self.places(8)
        let first = places.open("b").id
        let many = (0..<7).map { _ in places.open("a").id }
        #expect(places.open("c").givingWay == many[0])
        #expect(places.open("c").givingWay == many[1])
        _ = first
    }

    @Test func workStaysAndLeavesPlacesFree() throws {
        var places = Self.places(8, workPerClient: 3)
        var working: [ClientPlaces.ID] = []
        for client in ["a", "a", "a", "b", "b", "b", "c"] {
            let id = places.open(client).id
            try places.begin(id, for: client)
            working.append(id)
        }
        let next = places.open("a").id
        #expect(throws: ClientPlaces.Refusal.clientLimit) { try places.begin(next, for: "a") }
        #expect(throws: ClientPlaces.Refusal.full) { try places.begin(next, for: "d") }
        #expect(places.open("d").givingWay == next, "What works never gives way.")
        places.rest(working[0])
        let last = places.open("d")
        #expect(last.givingWay != nil && working.dropFirst().allSatisfy { $0 != last.givingWay })
    }

    @Test func uploadsHaveASharedLimitAndOneOfEachClient() throws {
        var places = Self.places()
        try places.take(60, for: "a")
        #expect(throws: ClientPlaces.Refusal.clientLimit) { try places.take(1, for: "a") }
        try places.take(40, for: "b")
        #expect(throws: ClientPlaces.Refusal.full) { try places.take(1, for: "b") }
        places.release(60, of: "a")
        try places.take(20, for: "b")
        #expect(places.uploadByteCount == 60)
    }

    /// Whatever clients do in whatever order, the limits hold, newcomers are let in, and everything is free in the end.
    @Test func anyOrderKeepsThePromises() async {
        let failures = await RandomRuns.failures(of: "places of clients") { seed in
            var random = SplitMix64(seed: seed)
            let (limit, share) = (Int.random(in: 1...12, using: &random), Int.random(in: 1...4, using: &random))
            var places = Self.places(limit, workPerClient: share)
            var open: [ClientPlaces.ID: String] = [:]
            var working: [ClientPlaces.ID: String] = [:]
            var held: [(client: String, bytes: Int)] = []
            var problems: [String] = []
            for _ in 0..<200 {
                let client = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let id = open.keys.sorted().randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<7, using: &random) {
                case 0, 1:
                    let (new, leaving) = places.open(client)
                    open[new] = client
                    if let leaving, working[leaving] != nil { problems.append("work gave way") }
                    if leaving == new, working.count < open.count - 1 { problems.append("a newcomer was kept out") }
                    if let leaving, open.removeValue(forKey: leaving) == nil { problems.append("one gave way twice") }
                    // Its connection may close later.
                    if let leaving, Bool.random(using: &random) { places.close(leaving) }
                case 2: if (try? places.begin(id, for: client)) != nil, working[id] == nil { working[id] = client }
                case 3:
                    places.rest(id)
                    working[id] = nil
                case 4:
                    places.close(id)
                    (open[id], working[id]) = (nil, nil)
                case 5:
                    let bytes = Int.random(in: 1...40, using: &random)
                    if (try? places.take(bytes, for: client)) != nil { held.append((client, bytes)) }
                default:
                    guard let upload = held.popLast() else { continue }
                    places.release(upload.bytes, of: upload.client)
                }
                if places.count > limit { problems.append("\(places.count) connections") }
                if places.count != open.count { problems.append("\(open.count) are open, and \(places.count) count") }
                if places.workCount != working.count { problems.append("\(working.count) work") }
                if working.values.count(where: { $0 == client }) > share {
                    problems.append("more than a share of work")
                }
                if limit > 1, working.count >= limit { problems.append("no place without work") }
                let own = held.filter { $0.client == client }.reduce(0) { $0 + $1.bytes }
                if own > 60 || places.uploadByteCount > 100 { problems.append("too many bytes") }
            }
            for upload in held { places.release(upload.bytes, of: upload.client) }
            if places.uploadByteCount != 0 { problems.append("bytes are left") }
            return problems
        }
        #expect(failures.isEmpty, "\(failures)")
    }
}
