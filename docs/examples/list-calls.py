import json, os
from urllib.parse import urlencode
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]


def api(method, path, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json", **headers}
    with urlopen(Request(BASE_URL + path, data, headers, method=method)) as answer:
        return json.load(answer)


query = {"direction": "outbound", "search": "700000", "from_dt": "2026-01-01T00:00:00Z", "limit": 20, "offset": 0}
while True:
    page = api("GET", "/calls/?" + urlencode(query))
    for call in page["calls"]:
        print(call["created_at"], call["sid"], call["to_number"], call["reason_label"], call["cost"])
    query["offset"] += 20
    if query["offset"] >= page["total"]:
        break
