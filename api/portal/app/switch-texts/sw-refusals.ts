/** What the API refuses with, by the English sentence (`api/answer/refusal-sentences.ts`, `core/contract/order-sentences.ts`, `core/model/quota-sentences.ts`). */
export const swRefusals = {
  'Nothing can be opened at this path.': 'Hakuna kinachoweza kufunguliwa kwenye njia hii.',
  'There is nothing at this path.': 'Hakuna kitu kwenye njia hii.',
  '{method} is not possible here; allowed: {methods}.': '{method} haiwezekani hapa; zinazoruhusiwa: {methods}.',
  'The request cannot be read.': 'Ombi halisomeki.',
  'The request is not valid.': 'Ombi si sahihi.',
  'The request must have one Host header, with a name or an address and perhaps a port.':
    'Ombi lazima liwe na kichwa kimoja cha Host, chenye jina au anwani na pengine mlango.',
  'The request must have one Authorization header.': 'Ombi lazima liwe na kichwa kimoja cha Authorization.',
  'A part of the path is too long.': 'Sehemu moja ya njia ni ndefu mno.',
  'The path is not a valid URL path.': 'Njia si njia sahihi ya URL.',
  'The body is larger than {limit} bytes.': 'Mwili ni mkubwa kuliko baiti {limit}.',
  'The body is not as long as Content-Length says.': 'Mwili hauna urefu ambao Content-Length inasema.',
  'The body is not valid UTF-8.': 'Mwili si UTF-8 sahihi.',
  'The body is not valid JSON.': 'Mwili si JSON sahihi.',
  'The body holds half of a surrogate pair.': 'Mwili una nusu ya jozi ya surrogate.',
  'The body holds more than {limit} values.': 'Mwili una thamani zaidi ya {limit}.',
  'Send the body as JSON, with Content-Type: application/json.':
    'Tuma mwili kwa JSON, pamoja na Content-Type: application/json.',
  'Send the body as it is, without a Content-Encoding.': 'Tuma mwili ulivyo, bila Content-Encoding.',
  'Of Transfer-Encoding only chunked is understood.': 'Kwa Transfer-Encoding ni chunked pekee inayoeleweka.',
  'A request with this Idempotency-Key is still in flight.': 'Ombi lenye Idempotency-Key hii bado linaendelea.',
  'The file does not meet the conditions of the request.': 'Faili halitimizi masharti ya ombi.',
  'The range is outside of the {size} bytes.': 'Sehemu iliyoombwa iko nje ya baiti {size}.',
  'The file is missing.': 'Faili halipo.',
  'Open a WebSocket here.': 'Fungua WebSocket hapa.',
  'More than {limit} requests in a minute.': 'Maombi zaidi ya {limit} kwa dakika moja.',
  'Too many requests with an invalid API key from this address.':
    'Maombi mengi mno yenye ufunguo wa API usio halali kutoka anwani hii.',
  'Too many requests of this kind at once: wait for the earlier ones.':
    'Maombi mengi mno ya aina hii kwa wakati mmoja: subiri ya awali yaishe.',
  'Too many list requests at once: wait for the earlier ones.':
    'Maombi mengi mno ya orodha kwa wakati mmoja: subiri ya awali yaishe.',
  'Too many list requests at once: read the earlier ones.':
    'Maombi mengi mno ya orodha kwa wakati mmoja: soma majibu ya awali.',
  'Too many simulations are waiting. Try again in a moment.':
    'Maigizo mengi mno yanasubiri. Jaribu tena baada ya muda mfupi.',
  'Too many captures run: end those that are not needed.': 'Kunasa kwingi mno kunaendelea: maliza kusikohitajika.',
  'The service is busy: try again.': 'Huduma ina kazi nyingi: jaribu tena.',
  'The database is being started again: try again.': 'Hifadhidata inaanzishwa upya: jaribu tena.',
  'The service is closing.': 'Huduma inafungwa.',
  'The service could not answer this request.': 'Huduma haikuweza kujibu ombi hili.',
  'The switch drains and takes no new calls.': 'Swichi inafungwa na haipokei simu mpya.',
  'The portal is not built: run "npm run build" ({fault}).': 'Tovuti haijajengwa: endesha "npm run build" ({fault}).',
  'The SDK is not built: run "npm run build:sdk" ({fault}).': 'SDK haijajengwa: endesha "npm run build:sdk" ({fault}).',
  'Invalid or missing API key.': 'Ufunguo wa API haupo au si halali.',
  'Invalid or expired stream token.': 'Tokeni ya mkondo si halali au imeisha muda.',
  'The request does not come from a page of this portal. Reload the page, and try again.':
    'Ombi halitoki kwenye ukurasa wa tovuti hii. Pakia ukurasa upya, kisha jaribu tena.',
  'Pages of this origin may not open the stream.': 'Kurasa za asili hii haziruhusiwi kufungua mkondo.',
  'Pages of this origin may not open a phone.': 'Kurasa za asili hii haziruhusiwi kufungua simu.',
  'No phones are served here.': 'Hapa hakuna huduma ya simu za kivinjari.',
  'Only the operator can export audio.': 'Mwendeshaji pekee anaweza kutoa sauti.',
  'The link has expired or was altered.': 'Kiungo kimeisha muda au kimebadilishwa.',
  'the account is suspended.': 'akaunti imesimamishwa.',
  'There is no such account.': 'Hakuna akaunti kama hiyo.',
  'There is no such asset.': 'Hakuna sauti kama hiyo.',
  'There is no such call.': 'Hakuna simu kama hiyo.',
  'There is no such call, or its trace is no longer kept.':
    'Hakuna simu kama hiyo, au ufuatiliaji wake hautunzwi tena.',
  'There is no such capture.': 'Hakuna kunasa kama huko.',
  'There is no such document.': 'Hakuna hati kama hiyo.',
  'There is no such end-user.': 'Hakuna mtumiaji kama huyo.',
  'There is no such event.': 'Hakuna tukio kama hilo.',
  'There is no such number.': 'Hakuna namba kama hiyo.',
  'There is no such number in the pool.': 'Hakuna namba kama hiyo kwenye hifadhi ya namba.',
  'There is no such recording.': 'Hakuna rekodi kama hiyo.',
  'There is no such session.': 'Hakuna kipindi kama hicho.',
  'There is no such trunk.': 'Hakuna trunki kama hiyo.',
  'The account has no such end-user.': 'Akaunti haina mtumiaji kama huyo.',
  'The account has no such key.': 'Akaunti haina ufunguo kama huo.',
  'The account has no such number.': 'Akaunti haina namba kama hiyo.',
  'The account has no such phone token.': 'Akaunti haina tokeni ya simu kama hiyo.',
  'No such call lives.': 'Hakuna simu kama hiyo inayoendelea.',
  'No such call lives. What is kept of a call that has ended is its trace: /calls/{uuid}/trace.':
    'Hakuna simu kama hiyo inayoendelea. Kinachohifadhiwa cha simu iliyoisha ni ufuatiliaji wake: /calls/{uuid}/trace.',
  'The recording is deleted.': 'Rekodi imefutwa.',
  'The recording storage does not answer: try again later.': 'Hifadhi ya rekodi haijibu: jaribu tena baadaye.',
  'The account already has an end-user with this email.': 'Akaunti tayari ina mtumiaji mwenye barua pepe hii.',
  'The account already has {count} active keys, the limit of {limit}; revoke one first.':
    'Akaunti tayari ina funguo {count} zinazotumika, na kikomo ni {limit}; batilisha mmoja kwanza.',
  'The account has no status webhook: set one first.': 'Akaunti haina webhook ya hali: iweke kwanza.',
  'The end-user belongs to another account.': 'Mtumiaji ni wa akaunti nyingine.',
  'The end-user is not active.': 'Mtumiaji amezimwa.',
  'the account cannot fund a call; top up and retry.':
    'salio la akaunti halitoshi simu; ongeza salio, kisha jaribu tena.',
  'the setup fee of {fee} KES exceeds the spendable balance.':
    'ada ya kuanza ya KES {fee} inazidi salio linaloweza kutumika.',
  'The number is already taken.': 'Namba tayari imechukuliwa.',
  '{number} is on this switch already.': '{number} tayari iko kwenye swichi hii.',
  'An account owns the number; it must be released first.': 'Namba ni ya akaunti; lazima iachiwe kwanza.',
  'The asset cannot be played: {problem}.': 'Sauti haiwezi kuchezwa: {problem}.',
  'The document cannot be simulated: {problem}.': 'Hati haiwezi kuigwa: {problem}.',
  'Calls are not recorded: recorder.memory_mb is 0.': 'Ufuatiliaji wa simu haufanyiki: recorder.memory_mb ni 0.',
  'This switch places no calls.': 'Swichi hii haipigi simu.',
  'The trunk has no host: it only calls in.': 'Trunki haina seva: hupiga kuingia tu.',
  'The lists of destinations block this number.': 'Orodha za maeneo zinazuia namba hii.',
  'A test call runs on this trunk. Wait for its result.':
    'Simu ya jaribio inaendelea kwenye trunki hii. Subiri matokeo yake.',
  'The trunk has as many calls as its max_calls or max_cps allow. Try again when one has ended.':
    'Trunki ina simu nyingi kadiri max_calls au max_cps zake zinavyoruhusu. Jaribu tena moja ikiisha.',
  // Calls that are not placed.
  'the switch is draining': 'swichi inafungwa',
  'the switch is closing': 'swichi inazimwa',
  'the switch is loaded and takes no new calls for now': 'swichi imelemewa na haipokei simu mpya kwa sasa',
  'the database failed: try again': 'hifadhidata imeshindwa: jaribu tena',
  'the account does not exist': 'akaunti haipo',
  'the account is suspended': 'akaunti imesimamishwa',
  '{number} is not an active number of this account': '{number} si namba inayotumika ya akaunti hii',
  'calls to {number} are not allowed': 'simu kwenda {number} haziruhusiwi',
  'there is no rate for {number}': 'hakuna bei ya {number}',
  'more than {limit} live calls': 'simu zaidi ya {limit} kwa wakati mmoja',
  'more than {limit} new calls per second': 'simu mpya zaidi ya {limit} kwa sekunde',
  'the balance does not cover the call': 'salio halitoshi simu hii',
  // Quotas.
  'The account may have at most {limit} {what} (quota max_{field}); delete some, or ask the operator for more.':
    'Akaunti inaruhusiwa {what} {limit} tu (kikomo max_{field}); futa baadhi, au mwombe mwendeshaji nyongeza.',
  'The end-user already has {limit} phone tokens that are valid now, the limit of {limit}; revoke one, or retry once one has expired.':
    'Mtumiaji tayari ana tokeni {limit} halali za simu, na kikomo ni {limit}; batilisha moja, au jaribu tena moja ikiisha muda.',
} as const

/** What a field of a request must be, by the English sentence (`api/answer/field-sentences.ts`, `core/contract/order-sentences.ts`). */
export const swFields = {
  'must have at most {limit} levels of objects and lists': 'lazima iwe na ngazi {limit} za vitu na orodha, si zaidi',
  'was already used for another request': 'tayari ilitumika kwa ombi lingine',
  'must be an ISO-8601 timestamp, as 2026-07-01T08:30:00Z': 'lazima iwe saa ya ISO-8601, kama 2026-07-01T08:30:00Z',
  'give either key or link': 'toa key au link, moja tu',
  'give either a call or an account': 'toa simu au akaunti, moja tu',
  'must not be 0': 'isiwe 0',
  'must be "outbound" where the prefix begins with sip:': 'lazima iwe "outbound" kiambishi kikianza na sip:',
  'must be an IP address or a CIDR range': 'lazima iwe anwani ya IP au masafa ya CIDR',
  "no prefix of this trunk fits the number; change the trunk's prefixes or the number":
    'hakuna kiambishi cha trunki hii kinachofaa namba; badilisha viambishi vya trunki au namba',
  'must be the bytes of an audio file': 'lazima iwe baiti za faili la sauti',
  'cannot be played: {problem}': 'haiwezi kuchezwa: {problem}',
  'must be at most 64 KB': 'lazima isizidi KB 64',
  'must be at most 8 KB': 'lazima isizidi KB 8',
  'must be an absolute http or https URL': 'lazima iwe URL kamili ya http au https',
  'must be the URL of your own server: a hosted document cannot receive status callbacks':
    'lazima iwe URL ya seva yako mwenyewe: hati iliyohifadhiwa hapa haiwezi kupokea taarifa za hali',
  '{number} is neither E.164 (+ and 7 to 15 digits) nor an extension of this account':
    '{number} si E.164 (+ na tarakimu 7 hadi 15) wala kiendelezi cha akaunti hii',
  'must be the seq of an event': 'lazima iwe seq ya tukio',
  'must be the http or https URL of the audio when fallback_mode is play':
    'lazima iwe URL ya sauti ya http au https, fallback_mode ikiwa play',
  'must be keys: 0-9 A-D * #': 'lazima ziwe vitufe: 0-9 A-D * #',
  'must be a number': 'lazima iwe namba',
  'must be a code such as CALL.0300, or its beginning': 'lazima iwe msimbo kama CALL.0300, au mwanzo wake',
  'must be E.164 (+ and 7 to 15 digits) or an extension': 'lazima iwe E.164 (+ na tarakimu 7 hadi 15) au kiendelezi',
  'must be E.164: + and 7 to 15 digits': 'lazima iwe E.164: + na tarakimu 7 hadi 15',
  'must be 1 to 64 of a-z, 0-9 and -': 'lazima iwe herufi 1 hadi 64 za a-z, 0-9 na -',
  'must be digits, as "+254", or "+" for every number': 'lazima ziwe tarakimu, kama "+254", au "+" kwa kila namba',
  'must be a host name or an IP address': 'lazima iwe jina la seva au anwani ya IP',
  'must be at most 32 of + 0-9 * #': 'lazima iwe na herufi 32 za + 0-9 * #, si zaidi',
  'must be a decimal string of KES, as "12.50", with at most four decimals':
    'lazima iwe kiasi cha KES, kama "12.50", chenye desimali nne, si zaidi',
  'must be a decimal string of KES, as "12.50" or "-12.50", with at most four decimals':
    'lazima iwe kiasi cha KES, kama "12.50" au "-12.50", chenye desimali nne, si zaidi',
  'must be one line of 1 to {limit} characters': 'lazima iwe mstari mmoja wa herufi 1 hadi {limit}',
  'must be one line of at most {limit} characters': 'lazima iwe mstari mmoja wa herufi {limit}, si zaidi',
  'must be an identifier': 'lazima iwe kitambulisho',
  'must be an absolute http or https URL of at most {limit} characters':
    'lazima iwe URL kamili ya http au https yenye herufi {limit}, si zaidi',
  'must be an absolute http or https URL of at most {limit} characters, or empty':
    'lazima iwe URL kamili ya http au https yenye herufi {limit}, si zaidi, au tupu',
  'must be 1 to 15 digits, as "+254"': 'lazima ziwe tarakimu 1 hadi 15, kama "+254"',
  'must be 1 to 15 digits, as "+254", or sip: and a host, as "sip:pbx.example.com"':
    'lazima ziwe tarakimu 1 hadi 15, kama "+254", au sip: na seva, kama "sip:pbx.example.com"',
  'must be an email address of at most {limit} characters': 'lazima iwe barua pepe yenye herufi {limit}, si zaidi',
  'must be from 1 to {limit}': 'lazima iwe 1 hadi {limit}',
  'must be 1 to 40 letters, digits, +, -, _ or dots':
    'lazima ziwe 1 hadi 40 kati ya herufi, tarakimu, +, -, _ na nukta',
  'must be 1 to 255 printable characters': 'lazima ziwe herufi 1 hadi 255 zinazochapika',
  'must be one of message, play, drop': 'lazima iwe mojawapo ya message, play, drop',
  // What a schema wants without a sentence of its own.
  'is required': 'inahitajika',
  'is not valid': 'si sahihi',
  'must be {value}': 'lazima iwe {value}',
  'must be one of {choices}': 'lazima iwe mojawapo ya {choices}',
  'must not be empty': 'isiwe tupu',
  'must have at least {limit} characters': 'lazima iwe na herufi {limit} au zaidi',
  'must have at most {limit} characters': 'lazima iwe na herufi {limit}, si zaidi',
  'must be at least {limit}': 'lazima iwe {limit} au zaidi',
  'must be at most {limit}': 'lazima isizidi {limit}',
  'must have at most {limit} entries': 'lazima iwe na maingizo {limit}, si zaidi',
  // Calls that are not placed.
  '+ and 7 to 15 digits, or an extension': '+ na tarakimu 7 hadi 15, au kiendelezi',
  '+ and 7 to 15 digits': '+ na tarakimu 7 hadi 15',
  'an http or https URL': 'URL ya http au https',
  '1 to {limit} seconds': 'sekunde 1 hadi {limit}',
  'at most {limit} levels of objects and lists': 'ngazi {limit} za vitu na orodha, si zaidi',
  'at most {limit} bytes': 'baiti {limit}, si zaidi',
  'numbers from -{limit} to {limit}; write others as text':
    'namba kuanzia -{limit} hadi {limit}; nyingine ziandikwe kama maandishi',
} as const

/** What stands in a sentence as a value, and is a text itself. */
export const swRefusalValues = {
  // JSON types.
  string: 'maandishi',
  number: 'namba',
  integer: 'namba kamili',
  boolean: 'true au false',
  object: 'kitu cha JSON',
  array: 'orodha',
  // Quotas (`core/model/quota.ts`).
  'bytes of assets': 'baiti za sauti',
  'bytes of recordings': 'baiti za rekodi',
  'hosted documents': 'hati zilizohifadhiwa hapa',
  'end-users': 'watumiaji',
  'phone tokens that are valid now': 'tokeni halali za simu',
  'open streams': 'mikondo iliyofunguliwa',
  // Audio (`core/adapters/audio/audio-sentences.ts`).
  'it lasts longer than an hour': 'inadumu zaidi ya saa moja',
  'it holds no audio': 'haina sauti',
  'it is neither MP3 nor Ogg': 'si MP3 wala Ogg',
  'it is no audio; WAV, MP3 and Ogg Opus are played': 'si sauti; zinazochezwa ni WAV, MP3 na Ogg Opus',
  'it is empty; WAV, MP3 and Ogg Opus are played': 'ni tupu; zinazochezwa ni WAV, MP3 na Ogg Opus',
  'it is FLAC; WAV, MP3 and Ogg Opus are played': 'ni FLAC; zinazochezwa ni WAV, MP3 na Ogg Opus',
  'it is compressed by gzip; WAV, MP3 and Ogg Opus are played':
    'imebanwa kwa gzip; zinazochezwa ni WAV, MP3 na Ogg Opus',
  'it could not be converted: {fault}': 'haikuweza kubadilishwa: {fault}',
  'the MP3 is in free format, without a bit rate of the standard':
    'MP3 ni ya muundo huru, bila kasi ya biti ya kiwango',
  'the MP3 is damaged': 'MP3 imeharibika',
  'the MP3 says {rate} Hz': 'MP3 inasema Hz {rate}',
  'the MP3 changes its rate': 'MP3 inabadilisha kasi yake',
  'the MP3 holds no audio': 'MP3 haina sauti',
  'it is no Ogg': 'si Ogg',
  'the Ogg holds something other than Opus': 'Ogg ina kitu kisicho Opus',
  'the Opus in the Ogg is of a version or an order of channels that is not played':
    'Opus iliyo ndani ya Ogg ni ya toleo au mpangilio wa chaneli usiochezwa',
  'the Ogg ends before its stream does': 'Ogg inaisha kabla ya mkondo wake',
  'the pages of the Ogg are damaged': 'kurasa za Ogg zimeharibika',
  'the head of the Opus stream is damaged': 'kichwa cha mkondo wa Opus kimeharibika',
  'a packet in the Ogg is not Opus': 'pakiti moja ndani ya Ogg si Opus',
  'the Ogg holds no audio': 'Ogg haina sauti',
  'the WAV ends before its audio begins': 'WAV inaisha kabla sauti yake haijaanza',
  'the WAV says nowhere how its samples are': 'WAV haisemi popote sampuli zake zikoje',
  'the format in the WAV contradicts itself': 'muundo ulio ndani ya WAV unajipinga',
  'the WAV holds a coding, rate or number of channels that is not played':
    'WAV ina usimbaji, kasi au idadi ya chaneli isiyochezwa',
  'a chunk of the WAV is longer than the file': 'kipande cha WAV ni kirefu kuliko faili',
  'the WAV holds too many chunks before its audio': 'WAV ina vipande vingi mno kabla ya sauti yake',
  'the WAV holds no audio': 'WAV haina sauti',
  // The simulator.
  'it ran for more than 5 s: it has no end': 'iliendeshwa zaidi ya sekunde 5: haina mwisho',
} as const
