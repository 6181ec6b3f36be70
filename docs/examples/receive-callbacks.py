import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]
PORT = os.environ.get("PORT", "3000")
PUBLIC_URL = os.environ.get("PUBLIC_URL", f"http://localhost:{PORT}")
headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json"}
secret = json.load(urlopen(Request(BASE_URL + "/account/webhooks/secret", headers=headers)))["signing_secret"].encode()
seen = set()


class Status(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        timestamp = self.headers.get("X-Voice-Timestamp", "0")
        signed = hmac.new(secret, (PUBLIC_URL + self.path + timestamp).encode() + body, hashlib.sha256).digest()
        given = self.headers.get("X-Voice-Signature", "")
        is_fresh = timestamp.isdigit() and abs(time.time() - int(timestamp)) <= 300
        if not is_fresh or not hmac.compare_digest(base64.b64encode(signed).decode(), given):
            self.send_error(403)
            return
        # Any 2xx ends it; anything else is sent again, with the same id.
        self.send_response(204)
        self.end_headers()
        told = json.loads(body)
        if told["id"] not in seen:
            seen.add(told["id"])
            print(told["code"], told["event"], told["sid"], json.dumps(told["data"]), flush=True)


server = ThreadingHTTPServer(("", int(PORT)), Status)
settings = json.dumps({"purpose": "status", "url": PUBLIC_URL + "/status"}).encode()
urlopen(Request(BASE_URL + "/account/webhooks", settings, headers, method="POST"))
server.serve_forever()
