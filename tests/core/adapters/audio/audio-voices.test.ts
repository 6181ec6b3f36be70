import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { VoiceList } from '../../../../core/adapters/audio/voices.ts'

const listing = `Pty Language       Age/Gender VoiceName          File                 Other Languages
 2  en-gb           --/M      English_(Great_Britain) gmw/en               (en 2)
 3  en-uk           --/M      english-mb-en1     mb/mb-en1            (en-gb 3)(en 2)
 2  en-us           --/M      English_(America)  gmw/en-US            (en 3)
 5  en-us-nyc       --/M      English_(America,_New_York_City) gmw/en-US-nyc
 5  sw              --/M      Swahili            bnt/sw
 5  cmn             --/M      Chinese_(Mandarin,_latin_as_English) sit/cmn (zh-cmn 5)(zh 5)
 5  fr-be           --/M      French_(Belgium)   roa/fr-BE            (fr 8)
 5  fr-fr           --/M      French_(France)    roa/fr               (fr 5)
 5  variant         --/M      Storm              !v/Storm             (en-us 5)
 5  ../evil         --/M      Evil               x/evil
broken line
`

const voices = VoiceList.fromListing(listing)

test('the listing gives language codes and names, without MBROLA, variants and oddities', () => {
  assert.is(voices.size, 18)
  assert.equal(voices.choose('Storm', undefined), { name: 'en-gb', unknownVoice: 'Storm' })
  assert.equal(voices.choose('../evil', undefined), { name: 'en-gb', unknownVoice: '../evil' })
  assert.equal(voices.choose('english-mb-en1', undefined), { name: 'en-gb', unknownVoice: 'english-mb-en1' })
})

test('which voice speaks', () => {
  const rows: [voice: string | undefined, language: string | undefined, name: string, unknown?: string][] = [
    [undefined, undefined, 'en-gb'],
    [undefined, 'sw', 'sw'],
    [undefined, 'sw-KE', 'sw'],
    [undefined, 'SW_tz', 'sw'],
    [undefined, 'en', 'en-gb'],
    [undefined, 'en-KE', 'en-gb'],
    [undefined, 'en-US', 'en-us'],
    [undefined, 'en-US-NYC', 'en-us-nyc'],
    [undefined, 'en-AU', 'en-gb'],
    [undefined, 'zh', 'cmn'],
    [undefined, 'zh-CN', 'cmn'],
    // By how willing each is.
    [undefined, 'fr', 'fr-fr'],
    [undefined, 'fr-CA', 'fr-fr'],
    [undefined, 'fr-BE', 'fr-be'],
    [undefined, 'xx', 'en-gb', 'xx'],
    ['sw', undefined, 'sw'],
    ['Swahili', undefined, 'sw'],
    ['kiswahili', undefined, 'sw'],
    ['English (America)', undefined, 'en-us'],
    ['English_(America)', 'sw', 'en-us'],
    ['woman', 'sw', 'bnt/sw+f3'],
    ['man', 'sw', 'sw'],
    ['alice', undefined, 'gmw/en+f3'],
    ['female', 'xx', 'gmw/en+f3'],
    ['en-us+f3', undefined, 'gmw/en-US+f3'],
    ['en_US+F3', 'sw', 'gmw/en-US+f3'],
    ['en+m7', undefined, 'gmw/en+m7'],
    ['sw-KE+whisper', undefined, 'bnt/sw+whisper'],
    ['Swahili+croak', undefined, 'bnt/sw+croak'],
    ['en-us+nobody', undefined, 'en-gb', 'en-us+nobody'],
    ['en-us+f3+f4', undefined, 'en-gb', 'en-us+f3+f4'],
    ['en-us+f3 -w x', undefined, 'en-gb', 'en-us+f3 -w x'],
    ['nobody+f3', 'sw', 'sw', 'nobody+f3'],
    ['+f3', undefined, 'en-gb', '+f3'],
    // A name that begins like a language's tag is no tag.
    ['no-such-voice-xyz', undefined, 'en-gb', 'no-such-voice-xyz'],
    ['no-such-voice-xyz', 'sw', 'sw', 'no-such-voice-xyz'],
    ['sw-voice', undefined, 'en-gb', 'sw-voice'],
    ['sw-xyz', undefined, 'sw'],
    ['sw-KE-Standard-C', undefined, 'en-gb', 'sw-KE-Standard-C'],
    ['en-US-JennyNeural', 'sw', 'sw', 'en-US-JennyNeural'],
    [undefined, 'sw-voice', 'en-gb', 'sw-voice'],
    [undefined, 'sw-Latn-KE', 'sw'],
    [undefined, 'sw-002', 'sw'],
    [undefined, 'en-US-oxendict', 'en-us'],
    [undefined, 'en-US-u-ca-gregory', 'en-us'],
    [undefined, 'en-x-mine', 'en-gb'],
    [undefined, 'fr-1694acad', 'fr-fr'],
    [undefined, 'zh-Hant-TW', 'cmn'],
    ['Polly.Joanna', undefined, 'en-gb', 'Polly.Joanna'],
    ['Polly.Joanna', 'sw', 'sw', 'Polly.Joanna'],
    ['constructor', undefined, 'en-gb', 'constructor'],
    ['__proto__', '__proto__', 'en-gb', '__proto__'],
    ['', undefined, 'en-gb', ''],
  ]
  for (const [voice, language, name, unknownVoice] of rows) {
    const expected = unknownVoice === undefined ? { name } : { name, unknownVoice }
    assert.equal(voices.choose(voice, language), expected, `${voice} ${language}`)
  }
})

test('an engine without any voice of ours still names the default', () => {
  assert.equal(VoiceList.fromListing('').choose('sw', 'sw'), { name: 'en-gb', unknownVoice: 'sw' })
  assert.is(VoiceList.fromListing('').size, 0)
})

test.run()
