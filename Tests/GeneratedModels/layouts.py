"""The layouts of models. Each function writes the files of one tiny model with random weights."""

import base64

import numpy
from network import END, Network

CONSONANTS, VOWELS = "bdfgklmnprst", "aeiou"
SYLLABLES = [first + second for first in CONSONANTS for second in VOWELS][:40]
PIECES = [("\u2581" if index % 2 == 0 else "") + syllable for index, syllable in enumerate(SYLLABLES)]
SIZE = 8
BANDS = 80


def write_tokens(path, pieces):
    path.write_text("".join(f"{piece} {index}\n" for index, piece in enumerate(pieces)), encoding="utf-8")


def encoded(piece):
    return base64.b64encode(piece.replace("\u2581", " ").encode()).decode()


def scores(net, count, blank, strength=1.5):
    """Weights and a bias for the scores of pieces. The bias makes the blank win about half of the time."""
    bias = numpy.zeros(count, dtype=numpy.float32)
    bias[blank] = strength * SIZE**0.5
    return net.random_weights(SIZE, count), net.constant(bias)


def nemo_metadata(**more):
    return {
        "vocab_size": len(PIECES), "subsampling_factor": 8, "normalize_type": "per_feature", "model_author": "NeMo",
        "model_type": "EncDecHybridRNNTCTCBPEModel", **more,
    }


STREAMING = {
    "window_size": 65, "chunk_shift": 56, "cache_last_channel_dim1": 1, "cache_last_channel_dim2": 2,
    "cache_last_channel_dim3": SIZE, "cache_last_time_dim1": 1, "cache_last_time_dim2": SIZE, "cache_last_time_dim3": 2,
}


def nemo_frames(net, bands, streaming):
    """The encoder of NeMo: a frame for each eight of the input. Returns the frames as (batch, size, time)."""
    audio = net.input("audio_signal", "float", ["batch", bands, "time"])
    length = net.input("length", "int64", ["batch"])
    frames = net.slice(audio, 2, 0, 56 if streaming else END, 8)
    frames = net.op("Sub", frames, net.mean(frames, 2))
    projected = net.op("MatMul", net.constant(net.floats(SIZE, bands) / bands**0.5), frames)
    if streaming:
        channel = net.input("cache_last_channel", "float", ["batch", 1, "channel", SIZE])
        time = net.input("cache_last_time", "float", ["batch", 1, SIZE, "cached"])
        count = net.input("cache_last_channel_len", "int64", ["batch"])
        latest = net.op("Transpose", net.unsqueeze(net.slice(projected, 2, 5, 7), 1), perm=[0, 1, 3, 2])
        before = net.op("Transpose", net.mean(channel, 2), perm=[0, 1, 3, 2])
        projected = net.op("Add", projected, net.op("Squeeze", before, net.ints(1)))
        caches = [
            (latest, "cache_last_channel_next", "float"), (net.op("Neg", time), "cache_last_time_next", "float"),
            (net.op("Add", count, net.ints(1)), "cache_last_channel_next_len", "int64"),
        ]
    else:
        caches = []
    lengths = net.op("Div", net.op("Add", length, net.ints(7)), net.ints(8))
    return net.op("Tanh", projected), lengths, caches


def nemo_transducer(folder, streaming):
    bands, durations = (BANDS, 0) if streaming else (128, 5)
    net = Network(1)
    frames, lengths, caches = nemo_frames(net, bands, streaming)
    net.output(frames, "outputs", rank=3)
    net.output(lengths, "encoded_lengths", "int64", rank=1)
    for value, name, kind in caches:
        net.output(value, name, kind, rank=1 if kind == "int64" else 4)
    more = STREAMING if streaming else {"feat_dim": bands, "url": "https://huggingface.co/nvidia/parakeet-tdt-0.6b-v3"}
    net.save(folder / "encoder.int8.onnx", nemo_metadata(pred_rnn_layers=1, pred_hidden=SIZE, **more))

    net = Network(2)
    targets = net.input("targets", "int32", ["batch", "count"])
    length = net.input("target_length", "int32", ["batch"])
    states = [net.input(name, "float", [1, "batch", SIZE]) for name in ("states.1", "onnx::Slice_3")]
    piece = net.op("Gather", net.random_weights(len(PIECES) + 1, SIZE), targets)
    state = net.op("Tanh", net.op("Add", net.op("Transpose", piece, perm=[1, 0, 2]), states[0]))
    net.output(net.op("Transpose", state, perm=[1, 2, 0]), "outputs", rank=3)
    net.output(length, "prednet_lengths", "int32", rank=1)
    net.output(state, "states", rank=3)
    net.output(net.op("Neg", states[1]), "162", rank=3)
    net.save(folder / "decoder.int8.onnx")

    net = Network(3)
    encoder = net.input("encoder_outputs", "float", ["batch", SIZE, "time"])
    decoder = net.input("decoder_outputs", "float", ["batch", SIZE, "count"])
    both = net.op(
        "Add", net.unsqueeze(net.op("Transpose", encoder, perm=[0, 2, 1]), 2),
        net.unsqueeze(net.op("Transpose", decoder, perm=[0, 2, 1]), 1))
    # A model without durations may write many pieces for a frame.
    strength = 2.5 if streaming else 1.5
    weights, bias = scores(net, len(PIECES) + 1 + durations, blank=len(PIECES), strength=strength)
    net.output(net.op("Add", net.op("MatMul", both, weights), bias), "outputs", rank=4)
    net.save(folder / "joiner.int8.onnx")
    write_tokens(folder / "tokens.txt", PIECES + ["<blk>"])


def nemo_ctc(folder, streaming):
    net = Network(4)
    frames, lengths, caches = nemo_frames(net, BANDS, streaming)
    weights, bias = scores(net, len(PIECES) + 1, blank=len(PIECES))
    logits = net.op("Add", net.op("MatMul", net.op("Transpose", frames, perm=[0, 2, 1]), weights), bias)
    net.output(net.op("LogSoftmax", logits, axis=2), "logprobs", rank=3)
    if streaming:
        net.output(lengths, "encoded_lengths", "int64", rank=1)
    for value, name, kind in caches:
        net.output(value, name, kind, rank=1 if kind == "int64" else 4)
    net.save(folder / "model.onnx", nemo_metadata(**(STREAMING if streaming else {})))
    write_tokens(folder / "tokens.txt", PIECES + ["<blk>"])


def streaming_zipformer(folder):
    net = Network(5)
    audio = net.input("x", "float", ["batch", 45, BANDS])
    context, kernel = 4, 5
    states = [
        ("key_0", [context, "batch", SIZE]), ("nonlin_attn_0", [1, "batch", context, 3 * SIZE // 4]),
        ("val1_0", [context, "batch", SIZE]), ("val2_0", [context, "batch", SIZE]),
        ("conv1_0", ["batch", SIZE, kernel // 2]), ("conv2_0", ["batch", SIZE, kernel // 2]),
    ]
    cached = [(name, net.input("cached_" + name, "float", shape)) for name, shape in states]
    embedded = net.input("embed_states", "float", ["batch", 128, 3, 19])
    processed = net.input("processed_lens", "int64", ["batch"])
    frames = net.op("MatMul", net.slice(audio, 1, 0, 32, 4), net.constant(net.floats(BANDS, SIZE) / BANDS**0.5))
    before = net.op("Transpose", net.mean(cached[0][1], 0), perm=[1, 0, 2])
    frames = net.op("Tanh", net.op("Add", frames, before))
    net.output(frames, "encoder_out", rank=3)
    latest = net.op("Transpose", net.slice(frames, 1, 4, 8), perm=[1, 0, 2])
    for name, value in cached:
        net.output(latest if name == "key_0" else net.op("Neg", value), "new_cached_" + name, rank=4 if "attn" in name else 3)
    net.output(net.op("Neg", embedded), "new_embed_states", rank=4)
    net.output(net.op("Add", processed, net.ints(16)), "new_processed_lens", "int64", rank=1)
    net.save(
        folder / "encoder-epoch-1-avg-1.onnx",
        {
            "model_type": "zipformer2", "encoder_dims": SIZE, "query_head_dims": SIZE, "value_head_dims": SIZE,
            "num_heads": 1, "num_encoder_layers": 1, "cnn_module_kernels": kernel, "left_context_len": context, "T": 45,
            "decode_chunk_len": 32,
        })

    pieces = ["<blk>", "<unk>"] + PIECES
    net = Network(6)
    history = net.input("y", "int64", ["batch", 2])
    piece = net.op("Gather", net.random_weights(len(pieces), SIZE), history)
    net.output(net.op("Squeeze", net.op("Tanh", net.mean(piece, 1)), net.ints(1)), "decoder_out", rank=2)
    net.save(folder / "decoder-epoch-1-avg-1.onnx", {"context_size": 2, "vocab_size": len(pieces)})

    net = Network(7)
    encoder = net.input("encoder_out", "float", ["batch", SIZE])
    decoder = net.input("decoder_out", "float", ["batch", SIZE])
    weights, bias = scores(net, len(pieces), blank=0)
    net.output(net.op("Add", net.op("MatMul", net.op("Add", encoder, decoder), weights), bias), "logit", rank=2)
    net.save(folder / "joiner-epoch-1-avg-1.onnx", {"joiner_dim": SIZE})
    write_tokens(folder / "tokens.txt", pieces)


LANGUAGES = ["en", "zh", "de", "es", "fr", "no", "yue"]


def whisper(folder, multilingual):
    name, context = ("tiny" if multilingual else "tiny.en"), 32
    pieces = [encoded(piece) for piece in PIECES]
    end = len(pieces)
    languages = [end + 2 + index for index in range(len(LANGUAGES))]
    translate = languages[-1] + 1
    no_timestamps = translate + 5
    count = no_timestamps + 1 + 1501
    net = Network(8)
    mel = net.input("mel", "float", ["batch", BANDS, "time"])
    frames = net.op("Transpose", net.slice(mel, 2, 0, END, 2), perm=[0, 2, 1])
    for cross in ("n_layer_cross_k", "n_layer_cross_v"):
        projected = net.op("MatMul", frames, net.constant(net.floats(BANDS, SIZE) / BANDS**0.5))
        net.output(net.unsqueeze(projected, 0), cross, rank=4)
    start = [end + 1, languages[0], translate + 1] if multilingual else [end + 1]
    net.save(
        folder / f"{name}-encoder.onnx",
        {
            "model_type": f"whisper-{name}", "n_mels": BANDS, "n_audio_ctx": 1500, "n_audio_state": SIZE,
            "n_vocab": count, "n_text_ctx": context, "n_text_state": SIZE, "n_text_layer": 1,
            "sot_sequence": ",".join(map(str, start)), "all_language_tokens": ",".join(map(str, languages)),
            "all_language_codes": ",".join(LANGUAGES), "sot": end + 1, "eot": end, "blank_id": 0,
            "is_multilingual": int(multilingual), "no_speech": no_timestamps - 1, "translate": translate,
            "transcribe": translate + 1, "no_timestamps": no_timestamps,
        })

    net = Network(9)
    tokens = net.input("tokens", "int64", ["batch", "count"])
    shape = [1, "batch", context, SIZE]
    keys = net.input("in_n_layer_self_k_cache", "float", shape)
    values = net.input("in_n_layer_self_v_cache", "float", shape)
    crosses = [net.input(cross, "float", [1, "batch", "frames", SIZE]) for cross in ("n_layer_cross_k", "n_layer_cross_v")]
    offset = net.input("offset", "int64", [1])
    piece = net.op("Gather", net.random_weights(count, SIZE), tokens)
    counted = net.op("Shape", tokens)
    after = net.op("Add", offset, net.op("Slice", counted, net.ints(1), net.ints(2)))
    axis = net.ints(2)
    first = net.op("Slice", keys, net.ints(0), offset, axis)
    rest = net.op("Slice", keys, after, net.ints(context), axis)
    kept = net.op("Concat", first, net.unsqueeze(piece, 0), rest, axis=2)
    history = net.op("Squeeze", net.op("ReduceSum", kept, axis, keepdims=1), net.ints(0))
    heard = net.op("Squeeze", net.op("Add", net.mean(crosses[0], 2), net.mean(crosses[1], 2)), net.ints(0))
    summed = net.op("Add", net.op("Add", piece, history), heard)
    # Only pieces, languages and the end can win.
    bias = numpy.full(count, -1000, dtype=numpy.float32)
    bias[: end + 1] = 0
    bias[languages] = -500
    logits = net.op("Add", net.op("MatMul", summed, net.random_weights(SIZE, count)), net.constant(bias))
    net.output(logits, "logits", rank=3)
    net.output(kept, "out_n_layer_self_k_cache", rank=4)
    net.output(values, "out_n_layer_self_v_cache", rank=4)
    net.save(folder / f"{name}-decoder.onnx")
    write_tokens(folder / f"{name}-tokens.txt", pieces)


def sense_voice(folder):
    languages = {"auto": 0, "zh": 3, "en": 4, "yue": 7, "ja": 11, "ko": 12, "nospeech": 13}
    notes = [f"<|{note}|>" for note in list(languages) + ["NEUTRAL", "Speech", "withitn", "woitn"]]
    pieces = ["<unk>"] + PIECES + notes
    width = 7 * BANDS
    net = Network(10)
    audio = net.input("x", "float", ["batch", "time", width])
    net.input("x_length", "int32", ["batch"])
    language = net.input("language", "int32", ["batch"])
    norm = net.input("text_norm", "int32", ["batch"])
    # The first four frames write one note each, as the library expects.
    table = numpy.zeros((16, len(pieces)), dtype=numpy.float32)
    for row in range(16):
        table[row, 1 + len(PIECES) + row % len(notes)] = 1000
    table = net.constant(table)
    before = [net.unsqueeze(net.op("Gather", table, note), 1) for note in (language, norm)]
    zero = net.op("Sub", language, language)
    both = [
        net.unsqueeze(net.op("Gather", table, net.op("Add", zero, net.constant(numpy.int32(row)))), 1) for row in (1, 2)
    ]
    frames = net.op("MatMul", audio, net.constant(net.floats(width, SIZE) / width**0.5))
    spoken = net.unsqueeze(net.op("Gather", net.random_weights(16, SIZE), language), 1)
    weights, bias = scores(net, len(pieces), blank=0)
    heard = net.op("Add", net.op("MatMul", net.op("Add", net.op("Tanh", frames), spoken), weights), bias)
    hidden = numpy.zeros(len(pieces), dtype=numpy.float32)
    hidden[1 + len(PIECES) :] = -1000
    heard = net.op("Add", heard, net.constant(hidden))
    net.output(net.op("Concat", before[0], both[0], both[1], before[1], heard, axis=1), "logits", rank=3)
    net.save(
        folder / "model.int8.onnx",
        {
            "model_type": "sense_voice_ctc", "comment": "iic/SenseVoiceSmall", "vocab_size": len(pieces),
            "lfr_window_size": 7, "lfr_window_shift": 6, "normalize_samples": 0, "with_itn": 14, "without_itn": 15,
            "neg_mean": ",".join(["-10"] * width), "inv_stddev": ",".join(["0.2"] * width),
            **{f"lang_{code}": index for code, index in languages.items()},
        })
    write_tokens(folder / "tokens.txt", pieces)


MOONSHINE_PIECES = [encoded(piece) for piece in ["<unk>", "<s>", "</s>"] + PIECES]


def moonshine_scores(net, piece, encoder, history):
    heard = net.op("Add", net.op("Add", piece, net.mean(encoder, 1)), history)
    return net.op("MatMul", heard, net.random_weights(SIZE, len(MOONSHINE_PIECES)))


def framed(net, audio):
    """One frame for each 384 samples, as in all models of Moonshine."""
    frames = net.unsqueeze(net.slice(audio, 1, 0, END, 384), 2)
    return net.op("Tanh", net.op("MatMul", frames, net.constant(net.floats(1, SIZE) * 20)))


def moonshine_in_four_parts(folder):
    net = Network(11)
    net.output(framed(net, net.input("args_0", "float", [1, "samples"])), "sequential", rank=3)
    net.save(folder / "preprocess.onnx")

    net = Network(12)
    frames = net.input("args_0", "float", [1, "time", SIZE])
    net.input("args_1", "int32", [1])
    net.output(net.op("Tanh", net.op("MatMul", frames, net.random_weights(SIZE, SIZE))), "layer_normalization", rank=3)
    net.save(folder / "encode.int8.onnx")

    for name, is_cached in (("uncached_decode", False), ("cached_decode", True)):
        net = Network(13)
        token = net.input("args_0", "int32", [1, "count"])
        encoder = net.input("args_1", "float", [1, "time", SIZE])
        net.input("args_2", "int32", [1])
        piece = net.op("Gather", net.random_weights(len(MOONSHINE_PIECES), SIZE), token)
        history = net.mean(piece, 1)
        if is_cached:
            states = [net.input(f"args_{3 + index}", "float", [1, "before", SIZE]) for index in range(4)]
            history = net.op("Add", history, net.mean(states[0], 1))
            kept = [net.op("Concat", states[0], piece, axis=1)] + states[1:]
        else:
            kept = [piece] * 4
        net.output(moonshine_scores(net, piece, encoder, history), "reversible_embedding", rank=3)
        for index, state in enumerate(kept):
            net.output(state, f"functional_{index}", rank=3)
        net.save(folder / f"{name}.int8.onnx")
    # Only the newer layout has its pieces in Base64.
    write_tokens(folder / "tokens.txt", ["<unk>", "<s>", "</s>"] + PIECES)


def moonshine(folder):
    net = Network(14)
    net.output(framed(net, net.input("input_values", "float", [1, "samples"])), "last_hidden_state", rank=3)
    net.save(folder / "encoder_model.onnx")

    net = Network(19)
    token = net.input("input_ids", "int64", [1, "count"])
    encoder = net.input("encoder_hidden_states", "float", [1, "time", SIZE])
    names = [f"{part}.{kind}" for part in ("decoder", "encoder") for kind in ("key", "value")]
    past = [net.input(f"past_key_values.0.{name}", "float", [1, 1, f"past_{name}", SIZE]) for name in names]
    net.input("use_cache_branch", "bool", [1])
    piece = net.op("Gather", net.random_weights(len(MOONSHINE_PIECES), SIZE), token)
    keys = net.op("Concat", past[0], net.unsqueeze(piece, 1), axis=2)
    history = net.op("Squeeze", net.mean(keys, 2), net.ints(1))
    net.output(moonshine_scores(net, piece, encoder, history), "logits", rank=3)
    kept = [keys, keys, net.unsqueeze(encoder, 1), net.unsqueeze(encoder, 1)]
    for name, state in zip(names, kept):
        net.output(state, f"present.0.{name}", rank=4)
    net.save(folder / "decoder_model_merged.onnx")
    write_tokens(folder / "tokens.txt", MOONSHINE_PIECES)


LAYOUTS = {
    "nemo-transducer": lambda folder: nemo_transducer(folder, streaming=False),
    "nemo-ctc": lambda folder: nemo_ctc(folder, streaming=False),
    "whisper": lambda folder: whisper(folder, multilingual=True),
    "whisper-en": lambda folder: whisper(folder, multilingual=False),
    "sense-voice": sense_voice,
    "moonshine-in-four-parts": moonshine_in_four_parts,
    "moonshine": moonshine,
    "streaming-zipformer": streaming_zipformer,
    "streaming-nemo-transducer": lambda folder: nemo_transducer(folder, streaming=True),
    "streaming-nemo-ctc": lambda folder: nemo_ctc(folder, streaming=True),
}
