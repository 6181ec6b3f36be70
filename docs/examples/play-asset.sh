curl -sS --fail-with-body -X PUT "$BASE_URL/assets/welcome" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: audio/wav' --data-binary @welcome.wav
curl -sS --fail-with-body -X POST "$BASE_URL/documents/" \
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -d '{ "name": "Welcome", "body": "<Response><Play asset=\"welcome\"/></Response>" }'
