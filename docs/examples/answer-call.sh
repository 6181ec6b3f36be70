# A request as it came: its URL, the header X-Voice-Timestamp and the body, byte for byte.
url='https://example.com/voice'
timestamp=$(date +%s)
body='{"CallSid":"CA01JZXQ7R5T8K2M4N","From":"+254722000001","To":"+254700000101"}'

secret=$(curl -sS --fail-with-body -H "Authorization: Bearer $API_KEY" "$BASE_URL/account/webhooks/secret" |
  sed 's/.*"signing_secret":"\([^"]*\)".*/\1/')
# What X-Voice-Signature must be.
printf '%s%s%s' "$url" "$timestamp" "$body" | openssl dgst -sha256 -hmac "$secret" -binary | base64
