import CSystem
import DictationCore
import Synchronization

/// Tells tasks what becomes of sockets. One thread waits for all of them, and nothing runs while nothing happens.
package final class SocketWatch: Sendable {
    package enum Event: Sendable {
        /// The socket takes bytes, or the connection is over.
        case room
        /// The other side sends no more, or the connection is over.
        case end
    }

    /// The watch of this process. Its thread starts with the first wait.
    package static let shared = SocketWatch()

    private struct State {
        var last: UInt64 = 0
        var waits: [UInt64: Watched<Bool>] = [:]
    }

    /// Negative if the system has no descriptors or threads left.
    private let descriptor: Int32
    private let state = Mutex(State())

    private init() {
        let made = dictation_make_watch()
        let hasThread =
            made >= 0
            && SystemThread.start(named: "sockets") {
                var numbers = [UInt64](repeating: 0, count: 16)
                while true {
                    let count = dictation_wait_for_events(made, &numbers, 16)
                    guard count >= 0 else { return }
                    SocketWatch.shared.note(numbers.prefix(Int(count)))
                }
            }
        if made >= 0, !hasThread { close(made) }
        descriptor = hasThread ? made : -1
    }

    private func note(_ numbers: ArraySlice<UInt64>) {
        for wait in state.withLock({ state in numbers.compactMap { state.waits[$0] } }) { wait.change { $0 = true } }
    }

    /// One event of a socket that is waited for. The socket may be closed meanwhile.
    package final class Wait: Sendable {
        private let watch: SocketWatch
        private let number: UInt64
        /// An own descriptor, whose number belongs to this wait alone.
        private let copy: Descriptor
        private let isWatched: Bool
        private let kind: Event
        private let hasCome = Watched(false)

        fileprivate init(_ watch: SocketWatch, _ socket: Int32, _ event: Event) {
            (self.watch, kind) = (watch, event)
            copy = Descriptor(fcntl(socket, F_DUPFD_CLOEXEC, 0))
            number = watch.state.withLock { [hasCome] state in
                state.last += 1
                state.waits[state.last] = hasCome
                return state.last
            }
            isWatched = dictation_watch(watch.descriptor, copy.number, event == .room ? 1 : 0, number) == 0
        }

        deinit {
            if isWatched { dictation_unwatch(watch.descriptor, copy.number) }
            watch.state.withLock { [number] in $0.waits[number] = nil }
        }

        /// Waits for the event.
        ///
        /// - Returns: `false` if the task was cancelled first.
        package func event() async -> Bool {
            // Without a watch, a sender tries again after a while, and the end of a connection stays unknown.
            let blind = kind == .room ? Duration.milliseconds(500) : .longestWait
            guard isWatched else { return (try? await DictationRuntime.system.sleep(blind)) != nil }
            return await hasCome.first { $0 ? true : nil } == true
        }
    }

    /// Begins to watch a socket.
    package func wait(for event: Event, of socket: Int32) -> Wait { Wait(self, socket, event) }
}
