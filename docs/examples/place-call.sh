curl -sS --fail-with-body -X POST "$BASE_URL/calls/originate" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -H "Idempotency-Key: order-$(date +%s)" \
  -d '{ "to": "+254700000102", "from": "+254700000101", "url": "https://example.com/voice",
        "timeout": 20, "customPayload": { "order": 7 } }'
