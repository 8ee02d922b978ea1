import DictationCore

/// One run of the inventory suite.
struct InventoryCheck {
    let suite: InventoryConformance
    let findings: Findings<InventoryConformance.Clause>

    private var inventory: any AssetInventory { suite.inventory }
    private var reserving: (any ReservingAssetInventory)? { inventory as? any ReservingAssetInventory }
    private var id: ModelAsset.ID { suite.asset }

    func run() async throws(DictationError) {
        try await tryAssets()
        await tryUnknown()
        guard suite.installs else { return await tryWhatIsThere() }
        await remove()
        await tryMissing()
        let kept = await tryCancelling()
        await tryInstalling(after: kept)
        await tryInstalled()
        await tryReserving()
        await tryDamage()
        await tryOffline()
        await tryRemoving()
        await tryTwoRequests()
        await tryFailure()
        await remove()
    }

    /// Checks an inventory that has the asset but can't install it.
    private func tryWhatIsThere() async {
        await tryInstalled()
        await tryReserving()
        await tryOffline()
        await tryDamage()
        findings.leave(
            .verifyRefusesMissing, .installInstalls, .halfIsNeverInstalled, .progressOnlyGrows, .progressEnds,
            .cancelStops, .resumesWhereItStopped, .requestsGetAlong, .failureIsNotInstalled, .removeRemoves,
            because: Self.installsNothing)
    }

    private static let installsNothing = "the inventory installs nothing"

    // MARK: Calls, each with a time limit

    private func call<Answer: Sendable>(
        _ what: String, within limit: Duration? = nil,
        _ body: sending @escaping (any AssetInventory) async throws(DictationError) -> Answer
    ) async -> Outcome<Answer> {
        let inventory = inventory
        let limit = limit ?? suite.responseTimeout
        let answer = await findings.bounded(.callsComeBack, what, within: limit) {
            await Outcome.of { () throws(DictationError) in try await body(inventory) }
        }
        if let answer {
            findings.expect(.callsComeBack, true, "", saw: "")
            return answer
        }
        return .failure(DictationError(.timedOut, "\(what) did not return within \(limit)."))
    }

    private func status(of asset: ModelAsset.ID? = nil) async -> ModelAsset.Status? {
        let asset = asset ?? id
        return try? await call("status(of:)") { await $0.status(of: asset) }.get()
    }

    private func request(
        _ clause: InventoryConformance.Clause, for asset: ModelAsset.ID? = nil
    ) async -> Outcome<InstallationProbe?> {
        let asset = asset ?? id
        return await call("installation(of:)") { inventory throws(DictationError) in
            try await inventory.installation(of: asset).map(InstallationProbe.init)
        }
    }

    /// Returns a request to install an asset. No request breaks the promise and returns `nil`.
    private func open(_ clause: InventoryConformance.Clause, for asset: ModelAsset.ID? = nil) async
        -> InstallationProbe?
    {
        let answer = await request(clause, for: asset)
        if case .success(let probe?) = answer { return probe }
        findings.broken(clause, "a request to install “\(asset ?? id)”", saw: answer.error.map { "\($0)" } ?? "none")
        return nil
    }

    /// Installs the asset from beginning to end. A failure breaks the promise and returns `nil`.
    @discardableResult
    private func install(_ clause: InventoryConformance.Clause) async -> InstallationProbe? {
        guard let probe = await open(clause) else { return nil }
        probe.begin()
        let outcome = await probe.outcome(within: suite.installationTimeout)
        let isDone = outcome?.error == nil && outcome != nil
        findings.expect(
            clause, isDone, "install() to succeed within \(suite.installationTimeout)",
            saw: outcome?.summary ?? "that it did not return")
        return isDone ? probe : nil
    }

    private func remove() async {
        let id = id
        _ = await call("remove(_:)") { inventory throws(DictationError) in try await inventory.remove(id) }
    }

    private func verify(_ asset: ModelAsset.ID) async -> Outcome<Void> {
        await call("verify(_:)", within: suite.installationTimeout) { inventory throws(DictationError) in
            try await inventory.verify(asset)
        }
    }

    // MARK: Listing

    private func tryAssets() async throws(DictationError) {
        let assets = try await call("assets()") { inventory throws(DictationError) in try await inventory.assets() }
            .get()
        let ids = assets.map(\.id)
        findings.expect(
            .assetsAreUnique, Set(ids).count == ids.count && !ids.contains(""), "identifiers that differ",
            saw: ids.joined(separator: ", "))
        guard ids.contains(id) else {
            throw DictationError(
                .invalidInput, "The inventory has no asset “\(id)” to test with.",
                recovery: "Choose from: \(ids.joined(separator: ", ")).")
        }
        guard let loose = await firstLoose(assets) else {
            return findings.leave(.unpinnedThrows, because: "every asset is pinned or installed")
        }
        let answer = await request(.unpinnedThrows, for: loose.id)
        findings.expect(
            .unpinnedThrows, answer.error?.code == .modelUnpinned, "modelUnpinned for “\(loose.id)”",
            saw: answer.summary)
    }

    private func firstLoose(_ assets: [ModelAsset]) async -> ModelAsset? {
        for asset in assets where !asset.isPinned {
            if await status(of: asset.id) != .installed { return asset }
        }
        return nil
    }

    private func tryUnknown() async {
        let unknown = "there-is-no-such-asset"
        let status = await status(of: unknown)
        findings.expect(
            .unknownIsUnsupported, status == .unsupported, "unsupported", saw: status.map { "\($0)" } ?? "no answer")
        let installing = await request(.unknownThrows, for: unknown)
        expectUnknown(installing.error, from: "installation(of:)")
        guard let reserving else { return }
        let attempt = await call("reserve(_:)") { _ throws(DictationError) in try await reserving.reserve(unknown) }
        expectUnknown(attempt.error, from: "reserve(_:)")
        _ = await call("release(_:)") { _ in await reserving.release(unknown) }
        let reserved = await call("reserved()") { _ in await reserving.reserved() }
        findings.expect(
            .unknownThrows, (try? reserved.get())?.contains(unknown) != true, "an unknown asset not to be reserved",
            saw: reserved.summary)
    }

    private func expectUnknown(_ error: DictationError?, from call: String) {
        findings.expect(
            .unknownThrows, error?.code == .unknownModel, "unknownModel from \(call)",
            saw: error?.code.rawValue ?? "no error")
    }

    private func tryMissing() async {
        let status = await status()
        findings.expect(
            .statusIsTruthful, status == .supported, "supported before the installation",
            saw: status.map { "\($0)" } ?? "no answer")
        let verified = await verify(id)
        findings.expect(
            .verifyRefusesMissing, verified.error != nil, "an error for a missing asset", saw: verified.summary)
        guard let probe = await open(.requestsAreTruthful) else { return }
        findings.expect(
            .requestsAreTruthful, probe.request.asset.id == id, "a request for “\(id)”",
            saw: "one for “\(probe.request.asset.id)”")
        let answer = await findings.bounded(.cancelStops, "cancel() before install()") { [request = probe.request] in
            await request.cancel()
            return true
        }
        findings.expect(.cancelStops, answer == true, "cancel() before install() to be harmless", saw: "that it hangs")
    }

    // MARK: Installing

    /// Cancels in the middle, and returns the number of bytes that were complete by then.
    private func tryCancelling() async -> Int64? {
        guard let probe = await open(.cancelStops) else { return nil }
        probe.begin()
        let isThere = await probe.first(within: suite.installationTimeout) {
            $0.isInTheMiddle ? true : $0.outcome != nil ? false : nil
        }
        let during = await status()
        guard isThere == true else {
            findings.leave(
                .cancelStops, .resumesWhereItStopped, .halfIsNeverInstalled,
                because: "the installation was over before it could be cancelled")
            await remove()
            return nil
        }
        let cancelling = await findings.bounded(.cancelStops, "cancel()") { [request = probe.request] in
            await request.cancel()
            return true
        }
        findings.expect(.cancelStops, cancelling == true, "cancel() to return", saw: "that it hangs")
        let outcome = await probe.outcome(within: suite.responseTimeout)
        if case .success? = outcome {
            findings.leave(.resumesWhereItStopped, because: "the installation was over before it was cancelled")
        }
        findings.expect(
            .cancelStops, outcome?.error?.code == .cancelled, "install() to throw cancelled after cancel()",
            saw: outcome?.summary ?? "that it goes on")
        findings.expect(
            .statusIsTruthful, during == .downloading || during == .stalled, "downloading or stalled in the middle",
            saw: during.map { "\($0)" } ?? "no answer")
        await expectNotInstalled(.halfIsNeverInstalled, "when the installation was cancelled in the middle")
        return outcome?.error == nil ? nil : probe.log.value.completedBytes
    }

    private func expectNotInstalled(_ clause: InventoryConformance.Clause, _ when: String) async {
        let status = await status()
        findings.expect(
            clause, status.map { $0 < .installed } ?? false, "a status below installed \(when)",
            saw: status.map { "\($0)" } ?? "no answer")
        let verified = await verify(id)
        findings.expect(clause, verified.error != nil, "verify(_:) to throw \(when)", saw: verified.summary)
        guard case .success(nil) = await request(clause) else { return }
        findings.broken(clause, "a request to install \(when)", saw: "none, as if it were installed")
    }

    private func tryInstalling(after kept: Int64?) async {
        guard let probe = await install(.installInstalls) else { return }
        let hasEnded = await probe.first(within: suite.responseTimeout) { $0.hasEnded ? true : nil }
        findings.expect(
            .progressEnds, hasEnded == true, "the progress to end with the installation", saw: "that it goes on")
        let progress = probe.log.value.progress
        let bytes = progress.map(\.completedBytes)
        findings.expect(
            .progressOnlyGrows, zip(bytes, bytes.dropFirst()).allSatisfy { $0 <= $1 } && bytes.allSatisfy { $0 >= 0 },
            "numbers of bytes that never decrease", saw: "\(bytes)")
        if let last = progress.last, let total = last.totalBytes {
            findings.expect(
                .progressEnds, last.completedBytes == total, "\(total) bytes at the end", saw: "\(last.completedBytes)")
        }
        let status = await status()
        findings.expect(
            .installInstalls, status == .installed, "the status installed", saw: status.map { "\($0)" } ?? "no answer")
        if let kept, let first = bytes.first {
            findings.expect(
                .resumesWhereItStopped, first >= kept, "progress that begins at \(kept) bytes or more", saw: "\(first)")
        }
    }

    private func tryInstalled() async {
        let status = await status()
        findings.expect(
            .statusIsTruthful, status == .installed, "the status installed", saw: status.map { "\($0)" } ?? "no answer"
        )
        let answer = await request(.requestsAreTruthful)
        var isNone = false
        if case .success(nil) = answer { isNone = true }
        findings.expect(
            .requestsAreTruthful, isNone, "no request for an installed asset",
            saw: answer.error.map { "\($0)" } ?? "a request")
        let verified = await verify(id)
        findings.expect(
            .verifyAcceptsSound, verified.error == nil, "verify(_:) to succeed", saw: verified.summary)
    }

    private func tryTwoRequests() async {
        guard let one = await open(.requestsGetAlong), let other = await open(.requestsGetAlong) else { return }
        one.begin()
        other.begin()
        for probe in [one, other] {
            let outcome = await probe.outcome(within: suite.installationTimeout)
            findings.expect(
                .requestsGetAlong, outcome != nil && outcome?.error == nil, "both requests to succeed",
                saw: outcome?.summary ?? "one that does not return")
        }
        let status = await status()
        findings.expect(
            .requestsGetAlong, status == .installed, "installed after both", saw: status.map { "\($0)" } ?? "no answer")
        await remove()
    }

    private func tryFailure() async {
        guard let failing = suite.failing else {
            return findings.leave(.failureIsNotInstalled, because: "the suite has no “failing” asset")
        }
        guard let probe = await open(.failureIsNotInstalled, for: failing) else { return }
        probe.begin()
        let outcome = await probe.outcome(within: suite.installationTimeout)
        let status = await status(of: failing)
        let again = await request(.failureIsNotInstalled, for: failing)
        var canBeTried = false
        if case .success(_?) = again { canBeTried = true }
        findings.expect(
            .failureIsNotInstalled, outcome?.error != nil && status.map { $0 < .installed } ?? false && canBeTried,
            "an error, a status below installed, and another request",
            saw: "\(outcome?.summary ?? "no answer"), \(status.map { "\($0)" } ?? "no status"), "
                + (canBeTried ? "a request" : "no request"))
    }

    // MARK: Installed assets

    private func tryReserving() async {
        guard let reserving else {
            return findings.leave(
                .reservingIsRemembered, .reservedIsNotEvicted, because: "the inventory reserves nothing")
        }
        let id = id
        for _ in 0..<2 {
            let answer = await call("reserve(_:)") { _ throws(DictationError) in try await reserving.reserve(id) }
            findings.expect(.reservingIsRemembered, answer.error == nil, "reserve(_:) to succeed", saw: answer.summary)
        }
        let during = await reserved(reserving)
        findings.expect(
            .reservingIsRemembered, during.count(where: { $0 == id }) == 1, "“\(id)” once in reserved()",
            saw: "\(during)")
        if let evict = suite.evict {
            _ = await call("evicting", within: suite.installationTimeout) { _ in await evict() }
            let status = await status()
            findings.expect(
                .reservedIsNotEvicted, status == .installed, "a reserved asset to stay installed",
                saw: status.map { "\($0)" } ?? "no answer")
            if status != .installed { await install(.installInstalls) }
        } else {
            findings.leave(.reservedIsNotEvicted, because: "the suite has no “evict”")
        }
        _ = await call("release(_:)") { _ in await reserving.release(id) }
        let after = await reserved(reserving)
        findings.expect(
            .reservingIsRemembered, !after.contains(id), "“\(id)” not in reserved() after release(_:)", saw: "\(after)")
    }

    private func reserved(_ inventory: any ReservingAssetInventory) async -> [ModelAsset.ID] {
        (try? await call("reserved()") { _ in await inventory.reserved() }.get()) ?? []
    }

    private func tryDamage() async {
        guard let damage = suite.damage else {
            return findings.leave(.verifyFindsDamage, .damageIsRepaired, because: "the suite has no “damage”")
        }
        let id = id
        _ = await call("damaging", within: suite.installationTimeout) { _ in await damage(id) }
        let verified = await verify(id)
        findings.expect(
            .verifyFindsDamage, verified.error?.code == .modelInvalid, "modelInvalid from verify(_:)",
            saw: verified.summary)
        let status = await status()
        findings.expect(
            .verifyFindsDamage, status == .damaged, "the status damaged",
            saw: status.map { "\($0)" } ?? "no answer")
        guard suite.installs else { return findings.leave(.damageIsRepaired, because: Self.installsNothing) }
        guard await install(.damageIsRepaired) != nil else { return }
        let repaired = await verify(id)
        findings.expect(
            .damageIsRepaired, repaired.error == nil, "verify(_:) to succeed after another installation",
            saw: repaired.summary)
    }

    private func tryOffline() async {
        guard let setOffline = suite.setOffline else {
            return findings.leave(.worksOffline, because: "the suite has no “setOffline”")
        }
        _ = await call("going offline") { _ in await setOffline(true) }
        let status = await status()
        let verified = await verify(id)
        let assets = await call("assets()") { inventory throws(DictationError) in try await inventory.assets() }
        findings.expect(
            .worksOffline, status == .installed && verified.error == nil && assets.error == nil,
            "the same status, assets and verification as with a network",
            saw: "\(status.map { "\($0)" } ?? "no status"), \(verified.summary), \(assets.error?.message ?? "assets")")
        _ = await call("going online") { _ in await setOffline(false) }
    }

    private func tryRemoving() async {
        let id = id
        for time in ["", " a second time"] {
            let answer = await call("remove(_:)\(time)") { inventory throws(DictationError) in
                try await inventory.remove(id)
            }
            let status = await status()
            findings.expect(
                .removeRemoves, answer.error == nil && status == .supported,
                "remove(_:) to leave the asset supported\(time)",
                saw: "\(answer.summary), \(status.map { "\($0)" } ?? "no status")")
        }
    }
}
