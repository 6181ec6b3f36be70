import type { Explained } from './en.ts'

interface ReasonText {
  readonly why: string
  /** In its place, where the switch's own sentence says more of what happened. */
  readonly cases?: readonly (readonly [pattern: RegExp, why: string, advice?: string])[]
  /** Empty: nothing is wrong. */
  readonly advice: string
}

const asAsked =
  'Hati inaomba hivyo. Ili kupokea simu kama hii, rekebisha hati mahali hapo, au ipe amri kama <Say> au <Dial>.'

const dialsItself = [
  / dials itself: /,
  'Namba inajipigia yenyewe: <Dial> ya hati yake inataja namba ile ile ambayo simu iliipigia.',
  'Piga namba nyingine au mtumiaji (<Client>) katika hati hiyo: kila simu kwa namba huzaa nyingine, mpaka swichi izimalize zote.',
] as const

const dialEachOther = [
  / dial each other: /,
  'Namba mbili zinapigiana: <Dial> ya hati ya kila moja inataja nyingine.',
  'Katika hati yao mojawapo, piga namba nyingine au mtumiaji (<Client>): kila simu huzaa nyingine, mpaka swichi izimalize zote.',
] as const

const circle = [
  / dials in a circle: /,
  'Namba inapigisha simu kwa mzunguko: hati kwa hati, <Dial> hurudi kwenye namba iliyokwisha kupiga.',
  dialEachOther[2],
] as const

const loops = [dialsItself, dialEachOther, circle]

const webhookFailed = 'Webhook ilishindwa, kwa hiyo hati ya akiba ilitumika.'

/** What the switch says in English of each end and problem (`core/trace/explanation.ts`, `core/trace/problem-explanations.ts`), without what it names of the call. */
export const swReasons: Readonly<Record<Explained, ReasonText>> = {
  'END.0200': {
    cases: [
      [
        /^The call was cut /,
        'Simu ilikatwa na mtandao wa upande mmoja.',
        'Hakuna mtu aliyekata: mtandao ulimaliza simu. Ikiendelea, mwambie mwendeshaji, anayempa mtoa huduma Call-ID na saa ya BYE.',
      ],
    ],
    why: 'Mmoja wa wahusika alikata simu baada ya kupokelewa.',
    advice: '',
  },
  'END.0201': { why: 'API iliombwa kukata simu (`POST /calls/hangup`, au tovuti hii).', advice: '' },
  'END.0202': {
    cases: [
      [
        / before it was answered/,
        'Hati ilimaliza simu kabla haijapokelewa; aliyepiga alikataliwa.',
        'Ili simu ipokelewe, hati inahitaji amri inayochezwa au inayorekodiwa (<Say>, <Play>, <Record>, <Gather>) au <Dial> inayojibiwa, kabla haijafika mwisho.',
      ],
    ],
    why: 'Hati ilifika mwisho wake, au kwenye <Hangup/>.',
    advice: '',
  },
  'END.0210': {
    why: 'Muda wa timeLimit wa <Dial> ulifikiwa.',
    advice: 'Kama simu zinapaswa kudumu zaidi, ongeza timeLimit ya <Dial> (si zaidi ya sekunde 14400).',
  },
  'END.0211': {
    why: 'Salio liliisha simu ikiendelea; ilikatwa kwenye sekunde ya mwisho iliyolipiwa.',
    advice: 'Ongeza salio, au omba kikomo cha mkopo. Tukio BILL.0100 huonya kabla ya kukatwa.',
  },
  'END.0212': {
    cases: [
      [
        /^No sound /,
        'Hakuna sauti (RTP) iliyofika kutoka upande mmoja ndani ya muda uliowekwa, kwa hiyo simu ilikatwa.',
      ],
    ],
    why: 'Kipindi cha simu kiliisha: RTP haikufika ndani ya muda uliowekwa, au kipima muda chake hakikuongezwa (RFC 4028).',
    advice:
      'Angalia sauti iliyopokelewa (RTP): ikikoma, mtandao, NAT au ukuta wa moto unazuia UDP, au simu ilizimwa. Kama ishara pekee zilikoma, upande wa pili au proksi imepoteza simu.',
  },
  'END.0400': {
    cases: loops,
    why: 'Upande wa pili ulikataa ombi.',
    advice: 'Fungua jibu la SIP kwenye ngazi: kichwa chake Reason au Warning kinasema kosa la ombi.',
  },
  'END.0402': {
    cases: [
      [/^The balance/, 'Salio halitoshi kwa simu hii: hata sekunde zake za kwanza hazingeweza kulipiwa.'],
      [/refused for lack of funds/, 'Upande wa pili ulikataa simu kwa kukosa fedha.'],
    ],
    why: 'Salio halitoshi kwa simu hii, au mtoa huduma alikataa kwa kukosa fedha.',
    advice: 'Ongeza salio, au angalia bei ya eneo. Kama mtoa huduma alijibu 402, akaunti yake yenyewe inahitaji fedha.',
  },
  'END.0403': {
    why: 'Simu kwenda huko hairuhusiwi.',
    advice:
      'Hakikisha namba ya callerId inatumika na ni yako, na URI ya SIP ni ya umma. Kama mtoa huduma alijibu 403, hakubali namba hiyo, eneo hilo au anwani hiyo.',
  },
  'END.0404': {
    why: 'Namba haitumiki, au hakuna njia ya kuifikia.',
    advice:
      'Angalia namba (E.164, yenye + na msimbo wa nchi). Kama hakuna ujumbe wa SIP uliotoka, hakuna njia wala bei yenye kiambishi chake: muulize mwendeshaji.',
  },
  'END.0406': {
    why: 'Upande wa pili haukubali kilichopendekezwa.',
    advice: 'Linganisha pendekezo la INVITE na kinachotumiwa na upande wa pili.',
  },
  'END.0408': {
    why: 'Hakuna aliyejibu kwa wakati.',
    advice:
      'Acha iite kwa muda mrefu zaidi (timeout ya <Dial> au ya originate), au weka action ya <Dial> yenye ujumbe wa sauti.',
  },
  'END.0410': {
    why: 'Namba imebadilika au imehama.',
    advice: 'Omba namba mpya. Maelekezo mengine (3xx) hayafuatwi, kwa kuwa yangetumia fedha zako kwingine.',
  },
  'END.0480': {
    cases: loops,
    why: 'Anayepigiwa hapatikani kwa sasa.',
    advice: 'Jaribu tena baadaye. Huenda simu imezimwa au haina mtandao.',
  },
  'END.0484': {
    why: 'Namba haijakamilika.',
    advice: 'Andika namba kwa E.164: +, msimbo wa nchi, namba yote.',
  },
  'END.0486': {
    cases: [[/^The document refused/, 'Hati ilikataa simu, kama namba iliyo kwenye simu nyingine.', asAsked]],
    why: 'Anayepigiwa yuko kwenye simu nyingine.',
    advice: 'Jaribu tena baadaye, au ipe <Dial> action yenye ujumbe wa sauti au namba nyingine.',
  },
  'END.0487': {
    why: 'Aliyepiga alikata kabla simu haijapokelewa.',
    advice: 'Kama hutokea baada ya sekunde nyingi, angalia muda wa kuita na wa hati ya kwanza.',
  },
  'END.0488': {
    why: 'Hakuna kodeki ambayo pande zote mbili zinaitumia: hazina muundo wa sauti wa pamoja.',
    advice:
      'Ruhusu PCMA, PCMU, G722 au opus upande wa pili, au mwombe mwendeshaji apanue `codecs` za njia. SRTP ikihitajika upande mmoja tu, pendekezo hukataliwa vivyo hivyo.',
  },
  'END.0500': {
    why: 'Mtoa huduma alipata hitilafu.',
    advice:
      'Kila njia inayofaa ilijaribiwa. Ikiendelea, mwambie mwendeshaji, anayempa mtoa huduma Call-ID na saa ya jibu.',
  },
  'END.0503': {
    cases: [[/^The carrier had/, 'Mtoa huduma hakuwa na nafasi, au hakuwa anafanya kazi.']],
    why: 'Hakuna njia iliyoweza kuchukua simu: hakuna yenye kiambishi kinachofaa, au zote zimejaa au hazifanyi kazi.',
    advice:
      'Muulize mwendeshaji, anayehakikisha kuna njia yenye kiambishi cha namba (`GET /operator/trunks`). Njia ya pili yenye kiambishi hicho huchukua hii ikishindwa.',
  },
  'END.0603': {
    cases: [
      [/^The document refused/, 'Hati ilikataa simu.', asAsked],
      [/ is an empty <Response/, 'Hati ni <Response/> tupu, inayokataa simu.', asAsked],
      ...loops,
    ],
    why: 'Simu ilikataliwa.',
    advice:
      'Aliyekataa anaweza kupigiwa tena baadaye. Kama hati iliikataa (<Hangup reason="rejected"/> au <Response/> tupu), ndivyo inavyoomba.',
  },
  'END.1401': {
    why: 'Njia haikukubali utambulisho wetu.',
    advice: 'Mwendeshaji anaangalia jina na nenosiri la njia, na realm ambayo mtoa huduma anaitaja.',
  },
  'END.1408': {
    why: 'Mahali pa kupiga hapakufikiwa: hakuna jibu la SIP lililokuja, au DNS, TCP au TLS ilishindwa.',
    advice:
      'Kwa namba muulize mwendeshaji: mtoa huduma wake hakujibu. Kwa anwani ya SIP angalia anwani, mlango na usafirishaji, kwamba ukuta wa moto unapitisha SIP, na kwamba jina linapatikana.',
  },
  'END.1480': {
    why: 'Hakuna simu ya kivinjari ya mtumiaji huyo iliyosajiliwa.',
    advice:
      'Hakikisha hati inataja kiendelezi au mtumiaji aliyepo. Kisha mtu huyo afungue simu na kuingia. `GET /users/` inaonyesha watumiaji wote na waliosajiliwa.',
  },
  'END.2408': {
    why: 'Hakuna kipindi cha sauti kilichoweza kufunguliwa: hakuna mlango ulio wazi, au hakuna uzi wa sauti.',
    advice: 'Mwendeshaji apanue SAUTI_MEDIA_PORTS au aongeze nyuzi za sauti, na aangalie kumbukumbu.',
  },
  'END.2409': {
    why: 'Kivinjari na swichi havikukubaliana funguo: DTLS ilishindwa.',
    advice:
      'Pakia simu upya. Ikiendelea, proksi inabadilisha SDP: alama yake ya kidole lazima ifike kwenye swichi ilivyo.',
  },
  'END.2410': {
    why: 'Hakuna njia ya sauti iliyopatikana kati ya kivinjari na swichi: ICE ilishindwa.',
    advice:
      'Jaribu mtandao mwingine kwanza: huu unaweza kuzuia UDP. Mwendeshaji anafungua UDP ya milango ya sauti, anaweka SAUTI_EXTERNAL_ADDRESS nyuma ya NAT, na SAUTI_TURN kwa mitandao inayozuia UDP.',
  },
  'END.3404': {
    why: 'Hakuna hati ya simu hii.',
    advice: 'Ipe namba au akaunti webhook ya sauti, au hati iliyopo.',
  },
  'END.3408': {
    cases: [
      [
        /^No connection to /,
        'Hakuna muunganisho na webhook uliopatikana ndani ya sekunde 10, kwa hiyo hati ya akiba ilitumika.',
        'Hakuna ombi lililofika: kumbukumbu ya seva ya wavuti haina lolote. Angalia anwani na mlango wa URL, na kwamba ukuta wa moto hauizuii swichi.',
      ],
    ],
    why: 'Webhook haikujibu ndani ya sekunde 10, kwa hiyo hati ya akiba ilitumika.',
    advice: 'Jibu webhook mara moja na ufanye kazi ndefu baadaye. Ufuatiliaji unaonyesha muda wa kila ombi.',
  },
  'END.3413': {
    why: 'Hati ni kubwa kuliko KB 64, kwa hiyo hati ya akiba ilitumika.',
    advice: 'Ifupishe; tumia <Redirect> kuendelea na hati ya pili.',
  },
  'END.3422': {
    why: 'Hati haiwezi kuendeshwa, kwa hiyo hati ya akiba ilitumika.',
    advice: 'Rekebisha hati mahali hapo; `POST /documents/check` hutaja makosa yake kabla ya simu.',
  },
  'END.3482': {
    cases: loops,
    why: 'Zaidi ya hati 50 zilifuatana bila sekunde moja ya sauti, namba za swichi hii zilipigiana kwa mzunguko, au simu moja ilizaa zaidi ya miguu 20 kwenda namba na simu za swichi hii.',
    advice: 'Vunja mzunguko wa <Redirect> au wa <Dial>, au piga namba na simu chache kwa wakati mmoja.',
  },
  'END.3502': {
    cases: [
      [
        / \(its certificate /,
        webhookFailed,
        'Muunganisho ulishindwa kabla ya ombi lolote: kumbukumbu ya seva ya wavuti haina ombi. Ipe seva ya wavuti cheti halali kwa sasa, chenye jina la anwani hii na cha mamlaka ya umma, pamoja na mnyororo wake wote.',
      ],
      [
        / \((?:it does not speak TLS|no TLS)/,
        webhookFailed,
        'Muunganisho ulishindwa kabla ya ombi lolote: kumbukumbu ya seva ya wavuti haina ombi. Angalia mpango na mlango wa URL: `https` inataka mlango wenye TLS 1.2 au zaidi (mara nyingi 443), `http` usio nayo.',
      ],
      [
        / \(DNS /,
        webhookFailed,
        'Hakuna ombi lililotoka: hakuna seva ya wavuti yenye kumbukumbu yake. Angalia kosa katika jina la anwani ya URL, na kwamba DNS ya umma ina anwani yake (A au AAAA).',
      ],
      [
        / \((?:its host |no connection to )/,
        webhookFailed,
        'Hakuna ombi lililofika: kumbukumbu ya seva ya wavuti haina lolote. Hakikisha seva ya wavuti inafanya kazi na inasikiliza kwenye anwani na mlango wa URL, na kwamba ukuta wa moto hauizuii swichi.',
      ],
      [
        / is no public address\)/,
        webhookFailed,
        'Hakuna ombi lililotoka: webhook huenda kwenye anwani za umma tu. Ipe URL anwani ya umma; mwendeshaji wa swichi ya majaribio anaweza kuweka SAUTI_ALLOW_PRIVATE_URLS.',
      ],
    ],
    why: 'Webhook ilishindwa, kwa hiyo hati ya akiba ilitumika.',
    advice: 'Webhook lazima ijibu 200 na hati. Angalia kumbukumbu yake kwa saa ya ombi hili.',
  },
  'END.4403': {
    why: 'Akaunti imesimamishwa.',
    advice: 'Wasiliana na mwendeshaji. Akaunti iliyosimamishwa inaweza kusoma lakini si kupiga simu.',
  },
  'END.4429': {
    why: 'Akaunti ilikuwa na simu au miguu mingi kadiri inavyoruhusiwa.',
    advice: 'Kata simu zisizohitajika, au mwombe mwendeshaji kikomo kikubwa zaidi.',
  },
  'END.4430': {
    why: 'Akaunti ilipiga simu nyingi kwa sekunde kuliko inavyoruhusiwa.',
    advice: 'Piga simu polepole, au mwombe mwendeshaji kikomo kikubwa zaidi.',
  },
  'END.4433': {
    why: 'Simu kwenda eneo hilo haziruhusiwi.',
    advice:
      'Muulize mwendeshaji: eneo lisilo na bei halitolewi, na viambishi vya gharama kubwa na vya setilaiti vimezuiwa mpaka viruhusiwe.',
  },
  'END.5410': {
    why: 'Swichi iliwashwa upya simu ikiendelea.',
    advice:
      'Inalipishwa hadi ishara ya mwisho ya uhai. Mwendeshaji aangalie kwa nini programu ilikoma; `sauti drain` huacha simu ziishe kwanza.',
  },
  'END.5500': {
    why: 'Swichi ilipata hitilafu yake yenyewe.',
    advice: 'Mwendeshaji atapata hitilafu kwenye kumbukumbu kwa sid ya simu hii.',
  },
  'END.5503': {
    why: 'Swichi ilikuwa inafungwa na ikamaliza simu.',
    advice: 'Piga tena itakaporudi.',
  },
  'PLAY.0400': {
    why: 'Sauti haikuweza kuchezwa, kwa hiyo hakuna kilichochezwa.',
    advice:
      'Fungua anwani yake kwenye kivinjari nje ya mtandao wako: lazima ijibu 200 na faili nzima ya WAV, MP3 au Ogg Opus, bila kuingia.',
  },
  'PLAY.0404': {
    cases: [
      [
        /^There is no asset /,
        'Hakuna sauti (asset) yenye jina hilo, kwa hiyo hakuna kilichochezwa.',
        'Ipakie kwa jina hilo (Sauti kwenye tovuti hii, `PUT /assets/{slug}`), au rekebisha jina katika hati.',
      ],
    ],
    why: 'Sauti haikupatikana, kwa hiyo hakuna kilichochezwa.',
    advice: 'Rekebisha jina au anwani katika hati, au weka faili hapo.',
  },
  'PLAY.0408': {
    why: 'Sauti ilichukua zaidi ya sekunde 10 kuletwa, kwa hiyo hakuna kilichochezwa.',
    advice: 'Punguza faili, iweke kwenye seva ya haraka zaidi, au ipakie kama sauti (asset): hiyo huchezwa mara moja.',
  },
  'PLAY.0413': {
    why: 'Sauti ni kubwa kuliko MB 20 au ndefu kuliko saa moja, kwa hiyo hakuna kilichochezwa.',
    advice: 'Ifupishe, au ihifadhi kama MP3 au Ogg Opus, zinazochukua sehemu ya kumi ya nafasi ya WAV.',
  },
  'PLAY.0415': {
    why: 'Sauti ni ya aina isiyochezwa, kwa hiyo hakuna kilichochezwa.',
    advice:
      'Ihifadhi kama WAV, MP3 au Ogg Opus. Fungua anwani yake kwenye kivinjari: seva nyingine hujibu kwa ukurasa badala ya faili.',
  },
  'SAY.0404': {
    why: 'Sauti ya msemaji haijulikani, kwa hiyo ya kawaida ilisema.',
    advice: 'Rekebisha jina la sauti katika hati, ondoa `voice`, au muulize mwendeshaji ni sauti zipi zilizopo.',
  },
  'SAY.0413': {
    why: '<Say> ina herufi zaidi ya 4096; haikusemwa.',
    advice: 'Gawa maandishi katika <Say> kadhaa.',
  },
  'SAY.0500': {
    why: 'Maandishi hayakusemwa hadi mwisho.',
    advice: 'Piga tena. Ikiendelea, mwendeshaji aangalie injini ya usemi na kumbukumbu ya swichi.',
  },
  'REC.0400': {
    cases: [
      [
        / bytes of recordings /,
        'Kurekodi kulishindwa: nafasi ya rekodi ya akaunti imeisha.',
        'Futa rekodi zisizohitajika, au mwombe mwendeshaji nafasi kubwa zaidi.',
      ],
      [
        /^A recording failed: a call has /,
        'Kurekodi kulishindwa: simu moja ilianza rekodi nyingi mno kwa wakati mmoja.',
        'Anza rekodi chache katika simu moja, na maliza kila moja kabla ya inayofuata.',
      ],
    ],
    why: 'Kurekodi kulishindwa.',
    advice: 'Mwendeshaji aangalie nafasi ya diski ya rekodi, na kumbukumbu ya swichi.',
  },
}
