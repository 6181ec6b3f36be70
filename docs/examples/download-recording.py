import json, os
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]


def api(method, path, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json", **headers}
    with urlopen(Request(BASE_URL + path, data, headers, method=method)) as answer:
        return json.load(answer)


recording = api("GET", "/recordings/?limit=1")[0]
link = api("POST", "/recordings/download", {"uuid": recording["uuid"]})["url"]
# The link needs no key: it may be handed on until it expires.
with urlopen(link) as audio, open("recording.wav", "wb") as file:
    file.write(audio.read())
print(recording["call_sid"], recording["duration_seconds"])
