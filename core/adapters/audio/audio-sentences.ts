import type { Filled } from '../../model/sentence.ts'

/** Every reason why an upload cannot be played; `{name}` stands for a value. */
export const audioSentences = [
  'it lasts longer than an hour',
  'it holds no audio',
  'it is neither MP3 nor Ogg',
  'it is no audio; WAV, MP3 and Ogg Opus are played',
  'it is empty; WAV, MP3 and Ogg Opus are played',
  'it is FLAC; WAV, MP3 and Ogg Opus are played',
  'it is compressed by gzip; WAV, MP3 and Ogg Opus are played',
  'it could not be converted: {fault}',
  'the MP3 is in free format, without a bit rate of the standard',
  'the MP3 is damaged',
  'the MP3 says {rate} Hz',
  'the MP3 changes its rate',
  'the MP3 holds no audio',
  'it is no Ogg',
  'the Ogg holds something other than Opus',
  'the Opus in the Ogg is of a version or an order of channels that is not played',
  'the Ogg ends before its stream does',
  'the pages of the Ogg are damaged',
  'the head of the Opus stream is damaged',
  'a packet in the Ogg is not Opus',
  'the Ogg holds no audio',
  'the WAV ends before its audio begins',
  'the WAV says nowhere how its samples are',
  'the format in the WAV contradicts itself',
  'the WAV holds a coding, rate or number of channels that is not played',
  'a chunk of the WAV is longer than the file',
  'the WAV holds too many chunks before its audio',
  'the WAV holds no audio',
] as const

export type AudioSentence = Filled<(typeof audioSentences)[number]>
