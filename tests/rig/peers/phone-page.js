// Runs in the page: the SDK under the eyes of a test. `bed.…` is called by tests/rig/peers/browser-phone.ts.

const bed = {
  phone: undefined,
  log: [],
  events: [],
  calls: [],
  sockets: [],
  connections: [],
  contexts: [],
  speakers: [],
  sources: [],

  /** A new phone; the one before signs out. An option that is null is left out. */
  async load(options) {
    await bed.phone?.unregister()
    const sdk = await import('/phone/sauti-phone.js')
    bed.sdk = sdk
    const wssUrl = `ws://${location.host}/sip`
    const given = {
      wssUrl,
      logLevel: 'debug',
      onLog: (level, ...args) =>
        bed.log.push(
          `${level} ${args.map(arg => (typeof arg === 'string' ? arg : (arg?.message ?? JSON.stringify(arg)))).join(' ')}`,
        ),
      ...options,
    }
    bed.phone = new sdk.Phone(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)))
    for (const name of [
      'registered',
      'unregistered',
      'registrationFailed',
      'connected',
      'disconnected',
      'tokenWillExpire',
      'devicesChanged',
    ])
      bed.phone.on(name, value => bed.events.push({ name, value }))
    bed.phone.on('incoming', call => {
      bed.events.push({ name: 'incoming' })
      bed.follow(call)
    })
  },

  async signIn(credentials) {
    try {
      await bed.phone.authenticate(credentials)
      return 'registered'
    } catch (fault) {
      return { code: fault.code, status: fault.status, message: fault.message }
    }
  },

  follow(call) {
    const kept = { call, events: [], quality: undefined }
    for (const name of [
      'ringing',
      'accepted',
      'ended',
      'failed',
      'hold',
      'unhold',
      'muted',
      'unmuted',
      'reconnecting',
      'reconnected',
    ])
      call.on(name, value => kept.events.push({ name, value }))
    call.on('quality', quality => {
      kept.quality = quality
    })
    bed.calls.push(kept)
    return bed.calls.length - 1
  },

  dial: (destination, options) => bed.follow(bed.phone.call(destination, options)),
  act: async (index, method, ...args) => {
    try {
      await bed.calls[index].call[method](...args)
      return 'done'
    } catch (fault) {
      return { code: fault.code, message: fault.message }
    }
  },

  call(index) {
    const { call, events, quality } = bed.calls[index]
    const { direction, remoteIdentity, remoteName, state, isOnHold, isMuted, endReason } = call
    return {
      direction,
      remoteIdentity,
      remoteName,
      state,
      isOnHold,
      isMuted,
      endReason,
      quality,
      events: events.map(({ name }) => name),
    }
  },

  /** Listens to a call for so many ms: power of each frequency against the whole, and how loud it was, 0 to 1. */
  async hear(index, ms, frequencies) {
    bed.context ??= new RealContext()
    const context = bed.context
    await context.resume()
    const source = context.createMediaStreamSource(bed.calls[index].call.remoteStream)
    const analyser = context.createAnalyser()
    source.connect(analyser)
    const heard = await listen(analyser, context.sampleRate, ms, frequencies)
    source.disconnect()
    return heard
  },

  /** The same for the SDK's own tones: bell, ringback, busy, keys. Nothing when it never made one. */
  async hearTones(ms, frequencies) {
    const context = bed.contexts.at(-1)
    if (context?.tap === undefined) return { loudness: 0, shares: frequencies.map(() => 0) }
    return listen(context.tap, context.sampleRate, ms, frequencies)
  },

  /** Cuts the line as a network does; new ones fail for so many ms. */
  cut(ms) {
    bed.blockedUntil = performance.now() + ms
    for (const socket of bed.sockets) {
      if (socket.readyState > 1) continue
      const closed = socket.onclose
      socket.onclose = null
      socket.onmessage = null
      socket.close()
      closed?.call(socket, { code: 1006, reason: 'cut' })
    }
  },

  iceState: index => bed.connections[index]?.connectionState,
  localSdp: index => bed.connections[index]?.localDescription?.sdp,
}

async function listen(analyser, sampleRate, ms, frequencies) {
  analyser.fftSize = 2048
  const all = []
  const window = new Float32Array(analyser.fftSize)
  const end = performance.now() + ms
  while (performance.now() < end) {
    await new Promise(resolve => setTimeout(resolve, 45))
    analyser.getFloatTimeDomainData(window)
    all.push(Float32Array.from(window))
  }
  const shares = frequencies.map(() => 0)
  let power = 0
  let count = 0
  for (const samples of all) {
    for (const sample of samples) power += sample * sample
    count += samples.length
    frequencies.forEach((frequency, at) => {
      let s1 = 0
      let s2 = 0
      const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / sampleRate)
      for (const sample of samples) {
        const s0 = sample + coefficient * s1 - s2
        s2 = s1
        s1 = s0
      }
      shares[at] += (2 * (s1 * s1 + s2 * s2 - coefficient * s1 * s2)) / samples.length
    })
  }
  return {
    loudness: Math.sqrt(power / Math.max(1, count)),
    shares: shares.map(share => (power === 0 ? 0 : share / power)),
  }
}

const RealContext = globalThis.AudioContext
/** What is played through it can be listened to. */
globalThis.AudioContext = class extends RealContext {
  constructor(...args) {
    super(...args)
    bed.contexts.push(this)
  }

  get destination() {
    if (this.tap === undefined) {
      this.tap = this.createAnalyser()
      this.tap.connect(super.destination)
    }
    return this.tap
  }
}
const realCapture = navigator.mediaDevices?.getUserMedia.bind(navigator.mediaDevices)
if (realCapture !== undefined)
  navigator.mediaDevices.getUserMedia = async wishes => {
    const stream = await realCapture(wishes)
    bed.sources.push(stream.getAudioTracks()[0])
    return stream
  }
const RealAudio = globalThis.Audio
globalThis.Audio = class extends RealAudio {
  constructor(...args) {
    super(...args)
    bed.speakers.push(this)
  }
}
const RealSocket = globalThis.WebSocket
globalThis.WebSocket = class extends RealSocket {
  constructor(...args) {
    if (performance.now() < (bed.blockedUntil ?? 0)) super('ws://127.0.0.1:9/')
    else super(...args)
    bed.sockets.push(this)
  }
}
const RealConnection = globalThis.RTCPeerConnection
globalThis.RTCPeerConnection = class extends RealConnection {
  constructor(...args) {
    super(...args)
    bed.connections.push(this)
  }
}
globalThis.bed = bed
