// Runs in the page, around a documented phone: what a test asks for by name, what the phone told, and an ear on its audio.

const bed = {
  phone: undefined,
  states: [],
  connections: [],

  async act(name, argument) {
    const options = name === 'signIn' ? { ...argument, onState: bed.told } : argument
    await bed.phone[name](options)
  },

  told: (state, detail) => bed.states.push({ state, detail }),

  /** The pair of candidates that the last connection has chosen. */
  async route() {
    const stats = [...(await bed.connections.at(-1).getStats()).values()]
    const of = id => stats.find(one => one.id === id)
    const pair = of(stats.find(({ type }) => type === 'transport')?.selectedCandidatePairId)
    const { candidateType, address } = of(pair.localCandidateId)
    return { candidateType, address, remote: of(pair.remoteCandidateId).address }
  },

  /** Listens to what plays for so many ms. */
  async hear(ms, hz) {
    bed.context ??= new AudioContext()
    await bed.context.resume()
    const source = bed.context.createMediaStreamSource(document.querySelector('audio').srcObject)
    const analyser = bed.context.createAnalyser()
    analyser.fftSize = 2048
    source.connect(analyser)
    const window = new Float32Array(analyser.fftSize)
    const coefficient = 2 * Math.cos((2 * Math.PI * hz) / bed.context.sampleRate)
    let power = 0
    let tone = 0
    let count = 0
    for (const end = performance.now() + ms; performance.now() < end; ) {
      await new Promise(resolve => setTimeout(resolve, 45))
      analyser.getFloatTimeDomainData(window)
      let s1 = 0
      let s2 = 0
      for (const sample of window) {
        const s0 = sample + coefficient * s1 - s2
        s2 = s1
        s1 = s0
        power += sample * sample
      }
      tone += (2 * (s1 * s1 + s2 * s2 - coefficient * s1 * s2)) / window.length
      count += window.length
    }
    source.disconnect()
    return { loudness: Math.sqrt(power / Math.max(1, count)), share: power === 0 ? 0 : tone / power }
  },
}

const RealConnection = globalThis.RTCPeerConnection
globalThis.RTCPeerConnection = class extends RealConnection {
  constructor(...args) {
    super(...args)
    bed.connections.push(this)
  }
}

export const lend = phone => {
  bed.phone = phone
  globalThis.bed = bed
}
