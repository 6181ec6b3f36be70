token=$(curl -sS --fail-with-body -X POST -H "Authorization: Bearer $API_KEY" "$BASE_URL/stream/token" |
  sed 's/.*"token":"\([^"]*\)".*/\1/')
# curl opens the WebSocket and shows what arrives for three seconds, frame headers left out.
curl -sSN --http1.1 --max-time 3 "$BASE_URL/stream?token=$token&after=0" \
  -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
  -H 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==' 2>/dev/null | tr -cd '[:print:]\n'
