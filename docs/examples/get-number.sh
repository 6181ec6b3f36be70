uuid=$(curl -sS --fail-with-body -H "Authorization: Bearer $API_KEY" "$BASE_URL/numbers/available" |
  sed 's/^\[{"uuid":"\([^"]*\)".*/\1/')
curl -sS --fail-with-body -X POST "$BASE_URL/numbers/acquire" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -H "Idempotency-Key: acquire-$uuid" -d "{ \"uuid\": \"$uuid\" }"
curl -sS --fail-with-body -X POST "$BASE_URL/numbers/configure" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -d "{ \"uuid\": \"$uuid\", \"friendly_name\": \"Front desk\",
        \"webhook_urls\": { \"voice_inbound\": \"https://example.com/desk\" } }"
