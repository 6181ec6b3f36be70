import json, os
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]


def api(method, path, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json", **headers}
    with urlopen(Request(BASE_URL + path, data, headers, method=method)) as answer:
        return json.load(answer)


settings = api("POST", "/account/webhooks", {
    "purpose": "voice_inbound",
    "url": "https://example.com/voice",
    "fallback_mode": "message",
    "fallback_value": "Please call again later.",
})
print(settings["endpoints"])
