import json, os, time
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]


def api(method, path, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json", **headers}
    with urlopen(Request(BASE_URL + path, data, headers, method=method)) as answer:
        return json.load(answer)


email = f"user-{time.time_ns()}@example.com"
user = api("POST", "/users/create", {"email": email, "display_name": "Amina"})
minted = api("POST", "/phone-tokens/mint", {"uuid": user["uuid"], "ttl_seconds": 600, "max_concurrent": 1})
# Only these two go to the browser; the API key never does.
print(json.dumps({"token": minted["token"], "iceServers": minted["iceServers"]}))
