url=$(curl -sS --fail-with-body -X POST "$BASE_URL/documents/" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -d '{ "name": "Greeting", "body": "<Response><Say>Hello {{From}}. Goodbye.</Say></Response>" }' |
  sed 's/.*"url":"\([^"]*\)".*/\1/')
curl -sS --fail-with-body -X POST "$BASE_URL/account/webhooks" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d "{ \"url\": \"$url\" }"
