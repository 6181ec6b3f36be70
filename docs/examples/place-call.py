import json, os, uuid
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]


def api(method, path, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json", **headers}
    with urlopen(Request(BASE_URL + path, data, headers, method=method)) as answer:
        return json.load(answer)


order = {
    "to": "+254700000102",
    "from": "+254700000101",
    "url": "https://example.com/voice",
    "timeout": 20,
    "customPayload": {"order": 7},
}
# The same key again gives the same call, and does not place another.
call = api("POST", "/calls/originate", order, {"Idempotency-Key": str(uuid.uuid4())})
print(call["sid"], call["status"])
