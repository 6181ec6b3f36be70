sid=$(curl -sS --fail-with-body -H "Authorization: Bearer $API_KEY" "$BASE_URL/calls/?limit=1" |
  sed 's/.*"sid":"\([^"]*\)".*/\1/')
curl -sS --fail-with-body -X POST "$BASE_URL/calls/hangup" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d "{ \"sid\": \"$sid\" }"
