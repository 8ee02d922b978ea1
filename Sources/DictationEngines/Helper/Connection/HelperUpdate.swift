import DictationCore

/// The body of a message with an update.
///
/// It is bytes and not JSON: an update comes several times a second, and as JSON it took more processor time than a small
/// model needs for the audio.
enum HelperUpdate {
    fileprivate enum Kind: UInt8 {
        case volatile = 1
        case final
        case revoked
        case finalized
        case voice
        case turnEnded
    }

    /// Returns the bytes of an update, or `nil` for an interruption, which only the program of a helper reports.
    static func encode(_ update: SpeechUpdate) -> [UInt8]? {
        var body = HelperBytes()
        switch update {
        case .volatile(let result): body.write(.volatile, result)
        case .final(let result): body.write(.final, result)
        case .revoked(let range):
            body.write(Kind.revoked.rawValue)
            body.write(range)
        case .finalized(let time):
            body.write(Kind.finalized.rawValue)
            body.write(time)
        case .voice(let voice):
            body.write(Kind.voice.rawValue)
            body.write(voice.through)
            body.write(voice.speech) { $0.write($1) }
        case .turnEnded(let time):
            body.write(Kind.turnEnded.rawValue)
            body.write(time)
        case .interrupted: return nil
        }
        return body.bytes
    }

    /// Returns the update of a message, or `nil` if the bytes are none.
    static func decode(_ bytes: [UInt8]) -> SpeechUpdate? {
        bytes.withUnsafeBytes { bytes in
            var reader = HelperBytesReader(bytes)
            guard let update = try? reader.update(), reader.isAtEnd else { return nil }
            return update
        }
    }
}

extension HelperBytes {
    fileprivate mutating func write(_ kind: HelperUpdate.Kind, _ result: SpeechResult) {
        write(kind.rawValue)
        write(result.range)
        write(result.text)
        write(result.words) { body, word in
            body.write(word.text)
            body.write(word.range) { $0.write($1) }
            body.write(word.confidence) { $0.write($1.bitPattern) }
        }
        write(result.alternatives) { body, alternative in
            body.write(alternative.text)
            body.write(alternative.confidence) { $0.write($1.bitPattern) }
        }
        write(result.isComplete)
        write(result.isDoubtful)
        write(result.endsInSpeech)
        write(result.speaker) { $0.write($1) }
    }
}

extension HelperBytesReader {
    fileprivate mutating func update() throws(Damage) -> SpeechUpdate {
        switch HelperUpdate.Kind(rawValue: try integer(UInt8.self)) {
        case .volatile: .volatile(try result())
        case .final: .final(try result())
        case .revoked: .revoked(try range())
        case .finalized: .finalized(through: try time())
        case .voice:
            .voice(
                SpeechUpdate.Voice(
                    through: try time(), speech: try optional { reader throws(Damage) in try reader.range() }))
        case .turnEnded: .turnEnded(at: try time())
        case nil: throw Damage()
        }
    }

    private mutating func result() throws(Damage) -> SpeechResult {
        SpeechResult(
            range: try range(), text: try text(),
            words: try array { reader throws(Damage) in
                SpeechResult.Word(
                    try reader.text(), range: try reader.optional { reader throws(Damage) in try reader.range() },
                    confidence: try reader.confidence())
            },
            alternatives: try array { reader throws(Damage) in
                SpeechResult.Alternative(try reader.text(), confidence: try reader.confidence())
            },
            isComplete: try condition(), isDoubtful: try condition(), endsInSpeech: try condition(),
            speaker: try optional { reader throws(Damage) in try reader.text() })
    }

    private mutating func confidence() throws(Damage) -> Double? {
        try optional { reader throws(Damage) in Double(bitPattern: try reader.integer(UInt64.self)) }
    }
}
