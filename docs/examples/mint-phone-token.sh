uuid=$(curl -sS --fail-with-body -X POST "$BASE_URL/users/create" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -d "{ \"email\": \"user-$(date +%s)@example.com\", \"display_name\": \"Amina\" }" |
  sed 's/.*"uuid":"\([^"]*\)".*/\1/')
curl -sS --fail-with-body -X POST "$BASE_URL/phone-tokens/mint" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -d "{ \"uuid\": \"$uuid\", \"ttl_seconds\": 600, \"max_concurrent\": 1 }"
