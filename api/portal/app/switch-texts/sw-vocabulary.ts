/** What completion in the editor says of each verb, and of each attribute, as `Say.voice` (`about` in `core/verbs/`). */
export const swVocabulary = {
  Say: 'Humsomea mpigaji maandishi. Hujibu simu.',
  'Say.voice':
    'Jina ambalo mwendeshaji aliipa sauti, sauti ya espeak-ng, au ya injini nyingine kwa jina lake: `piper:sw_CD-lanfrica-medium`, `openai:alloy`. Isipowekwa: ya lugha, la sivyo ya mwendeshaji.',
  'Say.language': 'Kama `sw` au `en-GB`. Isipowekwa: ya sauti.',
  'Say.loop': 'Mara ngapi; 0 = hadi mpigaji akate.',
  Play: 'Hucheza sauti, hutuma tarakimu, au vyote kwa mpangilio huo. Hujibu simu. Tukio la PLAY huripoti kisichoweza kuchezwa, na simu huendelea.',
  'Play.asset': 'Jina (slug) la sauti iliyopakiwa; hushinda URL.',
  'Play.loop': 'Mara ngapi; 0 = hadi mpigaji akate.',
  'Play.digits': 'Hutumwa kwa DTMF baada ya sauti; `w` husubiri nusu sekunde.',
  Pause: 'Husubiri kimya. Kabla ya simu kujibiwa, huchelewesha jibu.',
  'Pause.length': 'Muda gani.',
  Redirect: 'Huomba hati inayofuata kwa POST yenye sahihi na sehemu za simu. Hakuna amri inayoendeshwa baada yake.',
  Hangup: 'Humaliza simu. Kabla ya kujibiwa, mpigaji hukataliwa bila malipo. Hakuna amri inayoendeshwa baada yake.',
  'Hangup.reason': 'Kabla ya kujibiwa: 486 au 603; isipowekwa ni 603.',
  Record: 'Humrekodi mpigaji. Hujibu simu. Ikiwa na `action`, hakuna amri inayoendeshwa baada yake.',
  'Record.action':
    'Mwisho wa rekodi hutumwa huko, na hati inayofuata hutoka huko. Isipowekwa: hakuna, amri inayofuata huendeshwa.',
  'Record.timeout': 'Ukimya unaomaliza rekodi; 0 = hakuna.',
  'Record.maxLength': 'Urefu wa juu wa rekodi.',
  'Record.finishOnKey': 'Vitufe vinavyoimaliza; tupu = hakuna. Isipowekwa: `1234567890*#`.',
  'Record.playBeep': 'Mlio kabla haijaanza.',
  'Record.trim': 'Kama ukimya wa mwanzo na mwisho hukatwa.',
  'Record.format': 'Aina ya faili: WAV, au Opus ndani ya Ogg, yenye ukubwa wa moja ya tano au chini yake.',
  'Record.channels': 'Mpigaji pekee hurekodiwa.',
  RecordSession:
    'Hurekodi simu nzima kando ya hati, kuanzia simu inapojibiwa; huendelea kupitia Redirect na Dial, na huisha pamoja na simu. Inaposimamishwa hurekodi ukimya.',
  'RecordSession.state':
    'Kinachofanywa. `start` wakati rekodi inaendelea haibadilishi kitu, wala nyingine wakati hakuna rekodi.',
  'RecordSession.channels': 'dual: mpigaji kushoto, anachosikia kulia. mono: vyote kwa pamoja.',
  'RecordSession.track':
    'Inamsikiliza nani: `inbound` ni mpigaji, `outbound` ni kile mpigaji anachosikia. Upande mwingine ni kimya.',
  'RecordSession.maxLength': 'Urefu wa juu wa rekodi.',
  'RecordSession.format': 'Aina ya faili: WAV, au Opus ndani ya Ogg, yenye ukubwa wa moja ya tano au chini yake.',
  'RecordSession.playBeep': 'Mlio kwa mpigaji inapoanza.',
  Dial: 'Humuunganisha mpigaji na wengine. Hadi 10 huita pamoja, wa kwanza kujibu hushinda; ikiwa na `action`, hakuna amri inayoendeshwa baada yake. Upande wa pili unaoelekeza simu kwingine (3xx) haufuatwi: `failed`, END.0410.',
  'Dial.action':
    'Matokeo hutumwa huko, na hati inayofuata hutoka huko. Isipowekwa: hakuna, amri inayofuata huendeshwa.',
  'Dial.callerId':
    'Anachoona anayepigiwa: namba ya akaunti; kwa Client, viendelezi na URI za Sip inaweza pia kuwa ya mpigaji anayeingia. Nyingine yoyote hubadilishwa na namba ya simu hii yenyewe, na DOC.0422 huripoti hivyo mara moja; Number haipigiwi (END.0403) kama akaunti haimiliki tena hata namba hiyo. Isipowekwa: Client, viendelezi na URI za Sip huona anayepiga, yaani namba ya mpigaji anayeingia, au kiendelezi na jina la simu ya kivinjari; Number, kwa trunki au kwenye swichi hii, huona namba ya simu hii yenyewe.',
  'Dial.timeout': 'Muda wa kuita.',
  'Dial.timeLimit': 'Muda ambao wanaweza kuongea.',
  'Dial.answerOnBridge': 'Mpigaji hujibiwa upande wa pili unapojibu; false hujibu kabla ya kupiga.',
  'Dial.hangupOnStar': 'Mpigaji humaliza Dial kwa `*`.',
  'Dial.sequential':
    'Mmoja baada ya mwingine badala ya wote kwa pamoja. Anayefuata hupigiwa wa kabla yake akiisha; asipothibitisha kwamba alighairiwa, sekunde mbili baadaye.',
  'Dial.ringTone':
    'Jina (slug) la sauti, au msimbo wa nchi (ke tz ug rw et za ng gh us ca gb ie in fr de nl be ch it es pt se no br mx cn nz au); huchezwa mpigaji anapojibiwa kabla ya upande wa pili. Isipowekwa: `ke`.',
  'Dial.record': 'Kama wawili hao hurekodiwa, kwa chaneli moja au mbili.',
  Gather:
    'Husubiri tarakimu ambazo mpigaji anabonyeza. Ya kwanza husimamisha ujumbe mara moja nayo huhifadhiwa. Vitufe vilivyobonyezwa kabla haijaanza, katika amri nyingine au hati yake ikiletwa, havihifadhiwi. Simu iliyokubali kutuma vitufe kwa telephone-event (RFC 4733), kama karibu zote zinavyofanya, milio yake haisikilizwi. Bila tarakimu, amri inayofuata huendeshwa.',
  'Gather.action':
    'Tarakimu hutumwa huko, na hati inayofuata hutoka huko. Isipowekwa: hati yenye Gather hii, huombwa tena.',
  'Gather.input': 'Kinachosikilizwa.',
  'Gather.numDigits': 'Tarakimu hizi zinatosha.',
  'Gather.timeout': 'Muda wa kusubiri tarakimu inayofuata, kuanzia mwisho wa ujumbe.',
  'Gather.finishOnKey': 'Vitufe vinavyomaliza tarakimu bila kuwa sehemu yake; tupu: hakuna. Isipowekwa: `#`.',
  Reject: 'Hukataa simu ambayo haijajibiwa, bila malipo; iliyojibiwa hukatwa. Hakuna amri inayoendeshwa baada yake.',
  'Reject.reason': 'Anachopata mpigaji: 603 Decline, au 486 Busy Here.',
  Number: 'Namba ya simu, au kiendelezi cha akaunti.',
  'Number.sendDigits': 'DTMF inayotumwa inapojibiwa; `w` husubiri nusu sekunde.',
  Client: 'Mtumiaji wa akaunti. Ikiwa hakuna simu yake ya kivinjari iliyosajiliwa: END.1480.',
  Sip: 'Anwani ya SIP ya seva ya nje. Inayoelekea kwenye trunki, swichi hii, mtandao wa ndani au loopback (isipokuwa kwa `SAUTI_ALLOW_PRIVATE_URLS`) hukataliwa: `failed`, END.0403; URI ikionyesha hivyo, DOC.0422 husema. Bei yake ni ya kiambishi kirefu zaidi cha `sip:`; bila hicho haigharimu kitu, lakini inahitaji salio zaidi ya sufuri (END.0402). Sehemu ya mtumiaji iliyo namba ya kimataifa hulinganishwa na maeneo yaliyozuiwa (END.4433).',
  'Sip.username': 'Jina la mtumiaji la Digest.',
  'Sip.password': 'Nenosiri la Digest.',
  Conference:
    'Mkutano wa akaunti, kwa jina lake, ambapo hadi wapigaji 50 husikilizana. Upo kuanzia wa kwanza hadi wa mwisho, hujibu simu ya mpigaji, na lazima uwe peke yake ndani ya Dial. Mpigaji anayetoka (`hangupOnStar`, `timeLimit`, au mwisho wa mkutano) huendelea na hati: DialCallStatus ni `completed`, na DialCallDuration huhesabu tangu mpigaji alipoingizwa, pamoja na kusubiri. `timeout`, `callerId`, `answerOnBridge`, `sequential` na `ringTone` hazina maana hapa. `record` ya Dial hurekodi mpigaji huyu na anachosikia, tangu mkutano unapoanza. Tarakimu huripotiwa kwa matukio; wengine hawazipokei.',
  'Conference.muted': 'Mpigaji husikiliza tu.',
  'Conference.startOnEnter': 'Mkutano huanza mpigaji huyu akiingia. Hadi mshiriki auanzishe, wote husubiri.',
  'Conference.endOnExit': 'Mkutano huisha kwa wote mpigaji huyu akitoka.',
  'Conference.beep': 'Milio miwili kwa wote mpigaji huyu akiingia, akitoka, au vyote viwili.',
  'Conference.waitAsset':
    'Husikika tena na tena hadi mkutano uanze: jina (slug) la sauti, mlio wa kuita wa nchi kwa msimbo wake (ke tz ug rw …), au `silence`. Isipowekwa: milio miwili laini kila sekunde sita.',
  'Conference.maxMembers':
    'Idadi ya walioruhusiwa pamoja na mpigaji huyu. Anayekuta mkutano umejaa hajibiwi nao: DialCallStatus ni `busy`, DialReasonCode END.0486.',
} as const
