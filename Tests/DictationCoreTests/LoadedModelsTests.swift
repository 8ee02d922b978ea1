import DictationCore
import DictationTesting
import Synchronization
import Testing

/// The models that the sessions of an engine share.
@Suite struct LoadedModelsTests {
    private final class Model: Sendable {}

    private func load(_ models: LoadedModels<String, Model>, _ key: String = "a") async throws
        -> LoadedModels<String, Model>.Lease
    {
        try await models.lease(key) { () throws(DictationError) in Model() }
    }

    @Test func aModelLeavesTheMemoryWhenItsRetentionIsOver() async throws {
        try await VirtualTime.run { clock in
            let lingering = LoadedModels<String, Model>(.lingering(.seconds(60)))
            weak let first = try await load(lingering).model
            await clock.advance(by: .seconds(59))
            #expect(first != nil)
            var lease: LoadedModels<String, Model>.Lease? = try await load(lingering)
            #expect(lease?.model === first)
            await clock.advance(by: .seconds(600))
            #expect(lease != nil && first != nil)
            lease = nil
            await clock.advance(by: .seconds(61))
            #expect(first == nil)

            let brief = LoadedModels<String, Model>(.whileInUse)
            weak let second = try await load(brief).model
            #expect(second == nil)
            let lasting = LoadedModels<String, Model>(.processLifetime)
            weak let third = try await load(lasting).model
            await clock.advance(by: .seconds(86_400))
            #expect(third != nil)
        }
    }

    @Test func aModelIsLoadedOnceForAllWhoAskAtOnce() async throws {
        let models = LoadedModels<String, Model>(.whileInUse)
        let loads = Mutex(0)
        let leases = try await withThrowingTaskGroup(of: LoadedModels<String, Model>.Lease.self) { group in
            for _ in 0..<8 {
                group.addTask { @Sendable in
                    try await models.lease("a") {
                        loads.withLock { $0 += 1 }
                        return Model()
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(loads.withLock { $0 } == 1)
        #expect(leases.allSatisfy { $0.model === leases[0].model })
        #expect(try await load(models, "b").model !== leases[0].model)
    }

    @Test func aModelThatCanNotBeLoadedIsTriedAgain() async throws {
        let models = LoadedModels<String, Model>(.processLifetime)
        await #expect(throws: DictationError.self) {
            try await models.lease("a") { () throws(DictationError) in
                throw DictationError(.modelInvalid, "It is damaged.")
            }
        }
        _ = try await load(models)
    }
}
