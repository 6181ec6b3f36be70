// Runs in the page: the SDK under the eyes of a test. `rig.…` is called by tests/rig/browser-phone.ts.

const rig = {
  phone: undefined,
  log: [],
  events: [],
  calls: [],
  sockets: [],
  connections: [],

  async load(options) {
    const sdk = await import('/phone/sauti-phone.js')
    rig.sdk = sdk
    const wssUrl = `ws://${location.host}/sip`
    rig.phone = new sdk.Phone({
      wssUrl,
      logLevel: 'debug',
      onLog: (level, ...args) =>
        rig.log.push(
          `${level} ${args.map(arg => (typeof arg === 'string' ? arg : (arg?.message ?? JSON.stringify(arg)))).join(' ')}`,
        ),
      ...options,
    })
    for (const name of [
      'registered',
      'unregistered',
      'registrationFailed',
      'connected',
      'disconnected',
      'tokenWillExpire',
    ])
      rig.phone.on(name, value => rig.events.push({ name, value }))
    rig.phone.on('incoming', call => {
      rig.events.push({ name: 'incoming' })
      rig.follow(call)
    })
  },

  async signIn(credentials) {
    try {
      await rig.phone.authenticate(credentials)
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
    rig.calls.push(kept)
    return rig.calls.length - 1
  },

  dial: (destination, options) => rig.follow(rig.phone.call(destination, options)),
  act: async (index, method, ...args) => {
    try {
      await rig.calls[index].call[method](...args)
      return 'done'
    } catch (fault) {
      return { code: fault.code, message: fault.message }
    }
  },

  call(index) {
    const { call, events, quality } = rig.calls[index]
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

  /** Listens for so many ms: power of each frequency against the whole, and how loud it was, 0 to 1. */
  async hear(index, ms, frequencies) {
    rig.context ??= new AudioContext()
    const context = rig.context
    await context.resume()
    const source = context.createMediaStreamSource(rig.calls[index].call.remoteStream)
    const analyser = context.createAnalyser()
    analyser.fftSize = 2048
    source.connect(analyser)
    const all = []
    const window = new Float32Array(analyser.fftSize)
    const end = performance.now() + ms
    while (performance.now() < end) {
      await new Promise(resolve => setTimeout(resolve, 45))
      analyser.getFloatTimeDomainData(window)
      all.push(Float32Array.from(window))
    }
    source.disconnect()
    const shares = frequencies.map(() => 0)
    let power = 0
    let count = 0
    for (const samples of all) {
      for (const sample of samples) power += sample * sample
      count += samples.length
      frequencies.forEach((frequency, at) => {
        let s1 = 0
        let s2 = 0
        const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / context.sampleRate)
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
  },

  /** Cuts the line as a network does; new ones fail for so many ms. */
  cut(ms) {
    rig.blockedUntil = performance.now() + ms
    for (const socket of rig.sockets) {
      if (socket.readyState > 1) continue
      const closed = socket.onclose
      socket.onclose = null
      socket.onmessage = null
      socket.close()
      closed?.call(socket, { code: 1006, reason: 'cut' })
    }
  },

  iceState: index => rig.connections[index]?.connectionState,
  localSdp: index => rig.connections[index]?.localDescription?.sdp,
}

const RealSocket = globalThis.WebSocket
globalThis.WebSocket = class extends RealSocket {
  constructor(...args) {
    if (performance.now() < (rig.blockedUntil ?? 0)) super('ws://127.0.0.1:9/')
    else super(...args)
    rig.sockets.push(this)
  }
}
const RealConnection = globalThis.RTCPeerConnection
globalThis.RTCPeerConnection = class extends RealConnection {
  constructor(...args) {
    super(...args)
    rig.connections.push(this)
  }
}
globalThis.rig = rig
