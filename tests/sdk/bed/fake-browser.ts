// What a page finds in a browser, as little of it as the phone uses, in the hands of a test.

export class FakeTrack extends EventTarget {
  /** Everything that was opened, or cloned from it. */
  static all: FakeTrack[] = []
  readonly kind = 'audio'
  enabled = true
  readyState: 'live' | 'ended' = 'live'
  onended: (() => void) | null = null
  readonly deviceId: string
  constructor(deviceId: string) {
    super()
    this.deviceId = deviceId
    FakeTrack.all.push(this)
  }
  static get live(): FakeTrack[] {
    return FakeTrack.all.filter(({ readyState }) => readyState === 'live')
  }
  clone(): FakeTrack {
    return new FakeTrack(this.deviceId)
  }
  stop(): void {
    this.readyState = 'ended'
  }
}

class FakeStream {
  readonly #tracks: FakeTrack[] = []
  addTrack(track: FakeTrack): void {
    this.#tracks.push(track)
  }
  removeTrack(track: FakeTrack): void {
    const place = this.#tracks.indexOf(track)
    if (place >= 0) this.#tracks.splice(place, 1)
  }
  getTracks(): FakeTrack[] {
    return [...this.#tracks]
  }
  getAudioTracks(): FakeTrack[] {
    return [...this.#tracks]
  }
}

class FakeSender {
  track: FakeTrack
  readonly dtmf = {
    canInsertDTMF: true,
    toneBuffer: '',
    inserted: [] as unknown[][],
    insertDTMF(...args: unknown[]) {
      this.inserted.push(args)
      this.toneBuffer = String(args[0])
    },
  }
  readonly #connection: FakePeerConnection
  constructor(track: FakeTrack, connection: FakePeerConnection) {
    this.track = track
    this.#connection = connection
  }
  /** Takes a task, and rejects where the connection was closed by then, as in browsers. */
  async replaceTrack(track: FakeTrack): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
    if (this.#connection.connectionState === 'closed') throw new DOMException('closed', 'InvalidStateError')
    this.track = track
  }
}

export class FakePeerConnection extends EventTarget {
  static all: FakePeerConnection[] = []
  /** What gathering does: done at once, or never. */
  static gathering: 'complete' | 'gathering' = 'complete'
  readonly config: RTCConfiguration
  readonly log: string[] = []
  connectionState = 'new'
  signalingState = 'stable'
  localDescription: { type: string; sdp: string } | null = null
  ontrack: ((event: unknown) => void) | null = null
  onconnectionstatechange: (() => void) | null = null
  sender: FakeSender | undefined
  readonly transceiver = { direction: 'sendrecv' }
  /** Makes the next setRemoteDescription fail. */
  refuses = false
  #offers = 0

  constructor(config: RTCConfiguration) {
    super()
    this.config = config
    FakePeerConnection.all.push(this)
  }
  get iceGatheringState(): string {
    return FakePeerConnection.gathering
  }
  addTrack(track: FakeTrack): FakeSender {
    this.sender = new FakeSender(track, this)
    return this.sender
  }
  getTransceivers(): unknown[] {
    return [this.transceiver]
  }
  async createOffer(options: { iceRestart?: boolean } = {}): Promise<{ type: string; sdp: string }> {
    this.#offers++
    const restart = options.iceRestart === true ? ' restart' : ''
    return { type: 'offer', sdp: `offer ${this.#offers} ${this.transceiver.direction}${restart}` }
  }
  async createAnswer(): Promise<{ type: string; sdp: string }> {
    return { type: 'answer', sdp: 'local answer' }
  }
  async setLocalDescription(description: { type: string; sdp: string }): Promise<void> {
    this.log.push(`local ${description.type}`)
    if (description.type !== 'rollback') this.localDescription = description
    this.signalingState = description.type === 'offer' ? 'have-local-offer' : 'stable'
  }
  async setRemoteDescription(description: { type: string; sdp: string }): Promise<void> {
    if (this.refuses) throw new Error('bad description')
    this.log.push(`remote ${description.type}`)
    const states: Record<string, string> = { offer: 'have-remote-offer', pranswer: 'have-remote-pranswer' }
    this.signalingState = states[description.type] ?? 'stable'
  }
  async getStats(): Promise<Map<string, unknown>> {
    return new Map()
  }
  close(): void {
    this.connectionState = 'closed'
    this.signalingState = 'closed'
  }
  become(state: string): void {
    this.connectionState = state
    this.onconnectionstatechange?.()
  }
}

export class FakeAudio {
  static all: FakeAudio[] = []
  volume = 1
  srcObject: unknown = null
  autoplay = false
  sinkId = ''
  constructor() {
    FakeAudio.all.push(this)
  }
  async play(): Promise<void> {}
  pause(): void {}
  async setSinkId(id: string): Promise<void> {
    if (id === 'missing') throw new Error('NotFoundError')
    this.sinkId = id
  }
}

export class FakeWebSocket {
  static all: FakeWebSocket[] = []
  /** Whether new ones open by themselves. */
  static opens = true
  readonly url: string
  readonly protocols: string | string[]
  protocol = ''
  binaryType = 'blob'
  isClosed = false
  readonly sent: string[] = []
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number; reason: string }) => void) | null = null
  onsent: ((text: string) => void) | undefined

  constructor(url: string, protocols: string | string[]) {
    this.url = url
    this.protocols = protocols
    FakeWebSocket.all.push(this)
    queueMicrotask(() => {
      if (FakeWebSocket.opens) this.open()
      else this.drop(1006)
    })
  }
  open(protocol = 'sip'): void {
    this.protocol = protocol
    this.onopen?.()
  }
  send(text: string): void {
    if (this.isClosed) throw new DOMException('closed', 'InvalidStateError')
    this.sent.push(text)
    this.onsent?.(text)
  }
  close(): void {
    this.isClosed = true
  }
  receive(data: string | Uint8Array): void {
    const isText = typeof data === 'string'
    this.onmessage?.({ data: isText ? data : data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) })
  }
  drop(code = 1006): void {
    this.isClosed = true
    this.onclose?.({ code, reason: '' })
  }
}

export const devices = {
  /** Fault that getUserMedia rejects with. */
  fault: undefined as DOMException | undefined,
  /** What getUserMedia waits for, as for the person at the prompt. */
  wait: Promise.resolve() as Promise<unknown>,
  asked: [] as unknown[],
  tracks: [] as FakeTrack[],
}

const newMediaDevices = () =>
  Object.assign(new EventTarget(), {
    async getUserMedia(constraints: { audio: { deviceId?: { exact: string } } }) {
      devices.asked.push(constraints)
      await devices.wait
      await new Promise(resolve => setImmediate(resolve))
      if (devices.fault !== undefined) throw devices.fault
      const stream = new FakeStream()
      const track = new FakeTrack(constraints.audio.deviceId?.exact ?? 'default')
      devices.tracks.push(track)
      stream.addTrack(track)
      return stream
    },
    async enumerateDevices() {
      return [
        { kind: 'audioinput', deviceId: 'mic', label: 'Microphone' },
        { kind: 'videoinput', deviceId: 'cam', label: 'Camera' },
        { kind: 'audiooutput', deviceId: 'ear', label: 'Earpiece' },
      ]
    },
  })

/** Puts the fakes where a page would find the real ones, all in their first state. */
export function installBrowser(): void {
  FakePeerConnection.all = []
  FakePeerConnection.gathering = 'complete'
  FakeAudio.all = []
  FakeWebSocket.all = []
  FakeWebSocket.opens = true
  devices.fault = undefined
  devices.wait = Promise.resolve()
  FakeTrack.all = []
  devices.asked = []
  devices.tracks = []
  const globals: Record<string, unknown> = {
    isSecureContext: true,
    navigator: { mediaDevices: newMediaDevices() },
    RTCPeerConnection: FakePeerConnection,
    MediaStream: FakeStream,
    HTMLMediaElement: FakeAudio,
    Audio: FakeAudio,
    WebSocket: FakeWebSocket,
    window: new EventTarget(),
    document: Object.assign(new EventTarget(), { visibilityState: 'visible' }),
  }
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}
