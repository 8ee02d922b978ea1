"""PyPI's client "wyoming" asks a server for its description, then for the text of a recording, twice on one connection."""
import asyncio
import json
import sys
import wave

from wyoming.asr import Transcribe, Transcript, TranscriptChunk, TranscriptStart, TranscriptStop
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong


async def take(client, path, language):
    await client.write_event(Transcribe(language=language).event())
    with wave.open(path, "rb") as recording:
        form = dict(rate=recording.getframerate(), width=recording.getsampwidth(), channels=recording.getnchannels())
        await client.write_event(AudioStart(**form).event())
        while samples := recording.readframes(1024):
            await client.write_event(AudioChunk(audio=samples, **form).event())
    await client.write_event(AudioStop().event())
    types, chunks, text = [], "", None
    while True:
        event = await asyncio.wait_for(client.read_event(), 120)
        if event is None:
            break
        types.append(event.type)
        if TranscriptChunk.is_type(event.type):
            chunks += TranscriptChunk.from_event(event).text
        if Transcript.is_type(event.type):
            text = Transcript.from_event(event).text
        if Error.is_type(event.type):
            text = Error.from_event(event).text
            break
        if TranscriptStop.is_type(event.type):
            break
    return {"types": types, "chunks": chunks, "text": text}


async def main():
    port, path = int(sys.argv[1]), sys.argv[2]
    async with AsyncTcpClient("127.0.0.1", port) as client:
        await client.write_event(Describe().event())
        info = Info.from_event(await client.read_event())
        await client.write_event(Ping(text="there?").event())
        pong = Pong.from_event(await client.read_event())
        first = await take(client, path, "en")
        second = await take(client, path, "en")
    async with AsyncTcpClient("127.0.0.1", port) as client:
        wrong = await take(client, path, "tlh")
    models = [[service.name, service.supports_transcript_streaming, service.models[0].languages] for service in info.asr]
    print(json.dumps({"models": models, "pong": pong.text, "first": first, "second": second, "wrong": wrong["text"]}))


asyncio.run(main())
