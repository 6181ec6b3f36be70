import json, os
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]


def api(method, path, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json", **headers}
    with urlopen(Request(BASE_URL + path, data, headers, method=method)) as answer:
        return json.load(answer)


free = api("GET", "/numbers/available")[0]
number = api("POST", "/numbers/acquire", {"uuid": free["uuid"]}, {"Idempotency-Key": "acquire-" + free["uuid"]})
configured = api("POST", "/numbers/configure", {
    "uuid": number["uuid"],
    "friendly_name": "Front desk",
    "webhook_urls": {"voice_inbound": "https://example.com/desk"},
})
print(configured["number"], configured["webhook_inbound"])
