#if Remote
import DictationCore
import DictationTesting
import TestSupport
import Testing

@testable import DictationRemote

/// A session and a server that do things in any order, on a clock of their own.
private struct RandomServer {
    var random: SplitMix64
    var machine: RemoteMachine
    var demand = RemoteMachine.Demand()
    var now = Duration.zero
    /// The audio that the connection has had since the last final text.
    var had = Duration.zero
    /// Since when the session waits for text, and when the server last said anything.
    var waiting: Duration?
    var heard = Duration.zero
    var error: DictationError?
    var problems: [String] = []
    let server: RemoteServer
    /// Whether the server answers nothing from some moment on.
    let diesAt: Duration?

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        var server = RemoteServer("ws://a", "ws://b")
        server.responseTimeout = .seconds(Int.random(in: 1...15, using: &random))
        server.recognitionTimeout = .seconds(Int.random(in: 1...60, using: &random))
        server.reconnectTimeout = .seconds(Int.random(in: 1...30, using: &random))
        self.server = server
        let addressCount = Int.random(in: 1...3, using: &random)
        machine = RemoteMachine(server, addressCount: addressCount, turn: 0)
        diesAt = Bool.random(using: &random) ? .seconds(Int.random(in: 0...20, using: &random)) : nil
        if Bool.random(using: &random) { machine.connect(isOld: true, at: now) }
    }

    /// The longest time that a session waits for the text of a server that says nothing: one connection that finishes nothing,
    /// those after it until the session gives up, and one that began just before.
    private var patience: Duration {
        server.reconnectTimeout + (server.recognitionTimeout + server.responseTimeout * 4 / 3 + .seconds(15)) * 2
    }

    private var isDead: Bool { diesAt.map { now >= $0 } ?? false }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func speak() {
        let length = Duration.milliseconds(Int.random(in: 20...2_000, using: &random))
        demand.kept += length
        demand.backlog += length
        demand.given += length
    }

    private mutating func settle(_ asked: Int) {
        if asked > demand.asked { problems.append("settled what nobody asked for") }
        if asked < demand.finalized { problems.append("settled backwards") }
        demand.finalized = max(demand.finalized, asked)
        if demand.finalized == demand.asked { waiting = nil }
    }

    private mutating func lose(_ hasAnswered: Bool, isTemporary: Bool = true) {
        let hadAudio = machine.hasAudio
        if hadAudio != (had > .zero) { problems.append("\(had) sent, and hasAudio is \(hadAudio)") }
        (demand.backlog, had) = (demand.kept, .zero)
        var failure = RemoteFailure.lost("a", "it broke")
        failure.isTemporary = isTemporary
        if chance(10) { failure.retryAfter = .seconds(Int.random(in: 0...100, using: &random)) }
        let recovery = machine.fail(failure, hasAnswered: hasAnswered, demand, at: now)
        if recovery.hadAudio, !hadAudio { problems.append("audio that was not sent is lost") }
        if machine.isConnected || machine.hasAudio { problems.append("it goes on without a connection") }
        error = recovery.error
        if !isTemporary, error == nil { problems.append("a final failure is tried again") }
    }

    mutating func step() {
        if waiting == nil, chance(60) { speak() }
        if waiting == nil, chance(10) {
            demand.asked += 1
            waiting = now
        }
        let wasConnected = machine.isConnected
        if machine.takesAudio, demand.backlog > .zero {
            let length = min(demand.backlog, .milliseconds(500))
            machine.send()
            demand.backlog -= length
            demand.sent += length
            had += length
        }
        let hadAudio = machine.hasAudio
        switch machine.next(demand, at: now) {
        case .connect:
            if wasConnected { problems.append("connects twice") }
            now += .milliseconds(Int.random(in: 0...3_000, using: &random))
            if isDead && chance(50) || chance(20) { return lose(false, isTemporary: !chance(5)) }
            return machine.connect(isOld: false, at: now)
        case .rest(let time):
            if time <= .zero { problems.append("rests for \(time)") }
            if waiting != nil, time > .seconds(200) { problems.append("rests while somebody waits") }
            // The session may wake it at any moment.
            now += min(time, .milliseconds(Int.random(in: 1...3_000, using: &random)))
            return
        case .settle(let asked):
            if hadAudio { problems.append("audio counts as final that is not") }
            settle(asked)
        case .finalize:
            if !hadAudio { problems.append("asks for the text of nothing") }
        case .exchange: break
        }
        exchange()
    }

    private mutating func exchange() {
        let hears = !isDead && chance(40)
        let (hasSent, isFull) = (chance(30), chance(isDead ? 50 : 5))
        machine.exchange(hasSent: hasSent, hasHeard: hears, hasEvents: hears && chance(50), isFull: isFull, at: now)
        if hears { heard = now }
        if hears, chance(30) { machine.progress() }
        if hears, chance(30), let asked = machine.finish(canGoOn: chance(50)) {
            demand.kept -= had
            had = .zero
            settle(asked)
        }
        guard machine.isConnected else { return demand.backlog = demand.kept }
        if machine.fault(at: now) != nil || chance(3) { return lose(hears) }
        guard !hears, !hasSent else { return now += .milliseconds(1) }
        switch machine.pause(at: now) {
        case .ping: now += .milliseconds(1)
        case .wait(let time):
            if time <= .zero || time > server.responseTimeout { problems.append("waits for \(time)") }
            now += min(time, .milliseconds(Int.random(in: 1...5_000, using: &random)))
        }
    }

    /// Runs until somebody has waited too long, the session has failed, or nothing new can happen.
    mutating func run() -> [String] {
        for _ in 0..<400 where error == nil && problems.isEmpty {
            step()
            if let waiting, error == nil, case let time = now - max(waiting, heard), time > patience {
                problems.append("waited \(time) for a silent server, at most \(patience)")
            }
            // What was sent before the connection that made it too much broke.
            if demand.sent > demand.given * 2 + .seconds(3_600) { problems.append("sent without end") }
        }
        return problems
    }
}

@Suite struct RemoteMachineTests {
    /// Whatever a server does in whatever order: each request for text is answered or ends in an error in a bounded time.
    @Test func anyOrderKeepsThePromises() async {
        let failures = await RandomRuns.failures(of: "conversations with servers") { seed in
            (UInt64(0)..<40).lazy.map { order in
                var server = RandomServer(seed: seed << 8 | order)
                return server.run()
            }.first { !$0.isEmpty } ?? []
        }
        #expect(failures.isEmpty, "\(failures)")
    }

    /// The server may have closed it meanwhile, which is no failure of its own.
    @Test func aConnectionThatNobodyUsedMayBeLost() {
        var machine = RemoteMachine(RemoteServer("ws://a"), addressCount: 1, turn: 0)
        machine.connect(isOld: true, at: .zero)
        machine.send()
        let recovery = machine.fail(.lost("a", "it is closed"), hasAnswered: false, .init(), at: .seconds(1))
        #expect(recovery == .init(hadAudio: false, error: nil) && machine.turn == 0)
    }

    @Test func theNextAddressComesAtOnceAndTheFirstAgainAfterAWhile() {
        var machine = RemoteMachine(RemoteServer("ws://a", "ws://b"), addressCount: 2, turn: 4)
        #expect(machine.next(.init(), at: .zero) == .connect)
        _ = machine.fail(.lost("a", "it is closed"), hasAnswered: false, .init(), at: .zero)
        #expect(machine.turn == 5 && machine.next(.init(), at: .zero) == .connect)
        _ = machine.fail(.lost("b", "it is closed"), hasAnswered: false, .init(), at: .zero)
        #expect(machine.turn == 6 && machine.next(.init(), at: .zero) == .rest(.milliseconds(100)))
        #expect(machine.next(.init(), at: .milliseconds(100)) == .connect)
    }

    @Test func aServerThatIsAskedToFinishHasALimitedTime() {
        let server = RemoteServer("ws://a")
        var machine = RemoteMachine(server, addressCount: 1, turn: 0)
        machine.connect(isOld: false, at: .zero)
        machine.send()
        var demand = RemoteMachine.Demand()
        (demand.asked, demand.given, demand.sent, demand.kept) = (1, .seconds(1), .seconds(1), .seconds(1))
        #expect(machine.next(demand, at: .seconds(1)) == .finalize)
        #expect(machine.pause(at: .seconds(1)) == .wait(server.responseTimeout / 3))
        #expect(machine.pause(at: .seconds(7)) == .ping)
        #expect(machine.fault(at: .seconds(16)) == nil)
        #expect(machine.fault(at: .seconds(17)) == "the server does not answer")
        machine.exchange(hasSent: false, hasHeard: true, hasEvents: false, isFull: false, at: .seconds(16))
        #expect(machine.fault(at: .seconds(30)) == nil)
        #expect(machine.fault(at: .seconds(62)) == "the server does not finish")
        #expect(machine.finish(canGoOn: true) == 1 && machine.takesAudio)
    }
}
#endif
