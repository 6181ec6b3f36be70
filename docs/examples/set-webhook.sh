curl -sS --fail-with-body -X POST "$BASE_URL/account/webhooks" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -d '{ "purpose": "voice_inbound", "url": "https://example.com/voice",
        "fallback_mode": "message", "fallback_value": "Please call again later." }'
