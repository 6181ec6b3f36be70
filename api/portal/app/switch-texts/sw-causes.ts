/** Causes of Q.850 in words (`core/model/q850.ts`). */
const words: Readonly<Record<string, string>> = {
  1: 'namba haijagawiwa',
  2: 'hakuna njia kwenda mtandao wa kati',
  3: 'hakuna njia kwenda huko',
  6: 'chaneli haikubaliki',
  17: 'anayepigiwa ana simu nyingine',
  18: 'simu ya anayepigiwa haikuitikia',
  19: 'anayepigiwa hakujibu',
  20: 'anayepigiwa hayupo',
  21: 'simu ilikataliwa',
  22: 'namba imebadilika',
  26: 'mtumiaji asiyechaguliwa aliachwa',
  27: 'upande wa pili haufanyi kazi',
  28: 'muundo wa namba si sahihi',
  29: 'huduma ya ziada ilikataliwa',
  34: 'hakuna laini iliyo wazi',
  38: 'mtandao haufanyi kazi',
  41: 'hitilafu ya muda',
  42: 'mitambo imeelemewa',
  44: 'laini iliyoombwa haipatikani',
  47: 'rasilimali haipatikani',
  50: 'huduma ya ziada haijasajiliwa',
  55: 'simu za kuingia zimezuiwa',
  57: 'aina ya simu hairuhusiwi',
  58: 'aina ya simu haipatikani',
  63: 'huduma haipatikani',
  65: 'aina ya simu haitumiki hapo',
  69: 'huduma ya ziada haitumiki hapo',
  70: 'data ya kidijitali yenye mipaka tu',
  79: 'huduma haitumiki hapo',
  81: 'rejea ya simu si sahihi',
  87: 'si mwanachama wa kundi',
  88: 'upande wa pili haulingani',
  95: 'ujumbe si sahihi',
  96: 'taarifa za lazima hazipo',
  97: 'aina ya ujumbe haitumiki hapo',
  100: 'taarifa si sahihi',
  101: 'ujumbe usiofaa katika hali hii',
  102: 'muda uliisha',
  111: 'kosa la itifaki',
}

/** Undefined: it is no cause. */
export function swCause(written: string): string | undefined {
  const [, cause] = /^Q\.850 cause (\d+)(?:, [\w -]+)?$/.exec(written) ?? []
  return cause && `sababu ${cause} ya Q.850${words[cause] === undefined ? '' : `: ${words[cause]}`}`
}
