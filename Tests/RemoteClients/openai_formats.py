"""PyPI's client "openai" has one recording transcribed in every format. Prints the answers as one JSON object."""
import json
import signal
import sys

import openai

signal.alarm(300)
address, path, token = sys.argv[1:4]
client = openai.OpenAI(base_url=address, api_key=token)
create = client.audio.transcriptions.create


def ask(**options):
    with open(path, "rb") as file:
        return create(file=file, model="whisper-1", **options)


answers = {}
answers["models"] = [model.id for model in client.models.list()]
answers["json"] = ask().text
answers["usage"] = ask(response_format="json").usage.seconds
answers["text"] = ask(response_format="text")
answers["srt"] = ask(response_format="srt")
answers["vtt"] = ask(response_format="vtt")
verbose = ask(response_format="verbose_json", timestamp_granularities=["word", "segment"])
answers["verbose"] = verbose.text
answers["duration"] = verbose.duration
answers["segments"] = [[s.start, s.end, s.text, s.id, s.avg_logprob, s.no_speech_prob] for s in verbose.segments]
answers["words"] = [[w.start, w.end, w.word] for w in verbose.words]
events = list(ask(stream=True))
answers["deltas"] = "".join(e.delta for e in events if e.type == "transcript.text.delta")
answers["done"] = events[-1].text

answers["errors"] = []
for options in [{"temperature": 9}, {"language": "tlh"}]:
    try:
        ask(**options)
    except openai.BadRequestError as error:
        answers["errors"].append(error.body["message"])
try:
    client.with_options(api_key="wrong").models.list()
except openai.AuthenticationError as error:
    answers["errors"].append(error.code)
try:
    with open(path, "rb") as file:
        create(file=file, model="unknown")
except openai.NotFoundError as error:
    answers["errors"].append(error.code)
print(json.dumps(answers))
