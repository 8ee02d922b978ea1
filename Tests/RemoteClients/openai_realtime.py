"""PyPI's client "openai" speaks in realtime. Prints the events' types and the texts as one JSON object."""
import base64
import json
import signal
import sys

import openai

signal.alarm(300)
address, path, token, turns = sys.argv[1:5]
client = openai.OpenAI(base_url=address, api_key=token)
with open(path, "rb") as file:
    samples = file.read()[44:]

with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
    detection = {"type": "server_vad"} if turns == "server" else None
    connection.session.update(session={
        "type": "transcription",
        "audio": {"input": {
            "format": {"type": "audio/pcm", "rate": 24000},
            "transcription": {"model": "whisper-1", "language": "en"},
            "turn_detection": detection}}})
    for start in range(0, len(samples), 9600):
        connection.input_audio_buffer.append(audio=base64.b64encode(samples[start:start + 9600]).decode())
    connection.input_audio_buffer.commit()
    types, texts, deltas, wanted = [], [], "", int(sys.argv[5])
    for event in connection:
        types.append(event.type)
        if event.type.endswith(".delta"):
            deltas += event.delta
        if event.type.endswith(".completed"):
            texts.append(event.transcript)
            if len(texts) == wanted:
                break
        if event.type == "error":
            texts.append(event.error.message)
            break
print(json.dumps({"types": types, "texts": texts, "deltas": deltas}))
