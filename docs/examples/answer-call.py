import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]
PORT = os.environ.get("PORT", "3000")
PUBLIC_URL = os.environ.get("PUBLIC_URL", f"http://localhost:{PORT}")
asked = Request(BASE_URL + "/account/webhooks/secret", headers={"Authorization": f"Bearer {API_KEY}"})
secret = json.load(urlopen(asked))["signing_secret"].encode()


def is_signed(url, timestamp, body, signature):
    """base64 of HMAC-SHA256 over URL, timestamp and body; nothing older than five minutes."""
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    expected = hmac.new(secret, (url + timestamp).encode() + body, hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(expected).decode(), signature)


class Voice(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        timestamp = self.headers.get("X-Voice-Timestamp", "")
        signature = self.headers.get("X-Voice-Signature", "")
        if not is_signed(PUBLIC_URL + self.path, timestamp, body, signature):
            self.send_error(403)
            return
        call = json.loads(body)
        print(call["CallSid"], "from", call["From"], flush=True)
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.end_headers()
        self.wfile.write(b"<Response><Say>Thank you for calling. Goodbye.</Say></Response>")


ThreadingHTTPServer(("", int(PORT)), Voice).serve_forever()
