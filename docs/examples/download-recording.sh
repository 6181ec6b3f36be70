uuid=$(curl -sS --fail-with-body -H "Authorization: Bearer $API_KEY" "$BASE_URL/recordings/?limit=1" |
  sed 's/^\[{"uuid":"\([^"]*\)".*/\1/')
link=$(curl -sS --fail-with-body -X POST "$BASE_URL/recordings/download" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d "{ \"uuid\": \"$uuid\" }" |
  sed 's/.*"url":"\([^"]*\)".*/\1/')
curl -sS --fail-with-body -o recording.wav "$link"
