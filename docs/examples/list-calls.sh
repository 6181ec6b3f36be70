curl -sS --fail-with-body -G "$BASE_URL/calls/" -H "Authorization: Bearer $API_KEY" \
  -d direction=outbound -d search=700000 --data-urlencode "from_dt=2026-01-01T00:00:00Z" -d limit=20 -d offset=0
