curl -sS --fail-with-body -X POST "$BASE_URL/account/webhooks" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -d '{ "purpose": "status", "url": "https://example.com/status" }'
