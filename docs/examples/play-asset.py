import json, os
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]


def api(method, path, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json", **headers}
    with urlopen(Request(BASE_URL + path, data, headers, method=method)) as answer:
        return json.load(answer)


with open("welcome.wav", "rb") as audio:
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "audio/wav"}
    asset = json.load(urlopen(Request(BASE_URL + "/assets/welcome", audio.read(), headers, method="PUT")))
body = '<Response><Play asset="welcome"/></Response>'
document = api("POST", "/documents/", {"name": "Welcome", "body": body})
print(asset["duration_seconds"], document["url"])
