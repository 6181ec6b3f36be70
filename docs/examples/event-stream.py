import base64, json, os, socket, ssl, struct
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]
asked = Request(BASE_URL + "/stream/token", headers={"Authorization": f"Bearer {API_KEY}"}, method="POST")
token = json.load(urlopen(asked))["token"]

# A WebSocket by hand (RFC 6455), so that nothing needs installing; a library does the same in three lines.
place = urlsplit(BASE_URL)
raw = socket.create_connection((place.hostname, place.port or (443 if place.scheme == "https" else 80)))
if place.scheme == "https":
    raw = ssl.create_default_context().wrap_socket(raw, server_hostname=place.hostname)
key = base64.b64encode(os.urandom(16)).decode()
raw.sendall((
    # `after` is the last seq that was read: who comes back with it misses nothing.
    f"GET {place.path}/stream?token={token}&after=0 HTTP/1.1\r\nHost: {place.netloc}\r\n"
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    f"Sec-WebSocket-Key: {key}\r\n\r\n"
).encode())
stream = raw.makefile("rb")
assert b" 101 " in stream.readline()
while stream.readline().strip():
    pass
while True:
    opcode, length = stream.read(2)
    if length == 126:
        length = struct.unpack(">H", stream.read(2))[0]
    elif length == 127:
        length = struct.unpack(">Q", stream.read(8))[0]
    payload = stream.read(length)
    if opcode & 15 == 8:  # close
        break
    if opcode & 15 == 9:  # ping: who does not answer is cut
        raw.sendall(bytes([0x8A, 0x80 | length]) + bytes(4) + payload)
    if opcode & 15 == 1:
        told = json.loads(payload)
        print(told["seq"], told["code"], told["event"], told["sid"], flush=True)
