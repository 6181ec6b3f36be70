export interface AudioDevice {
  readonly deviceId: string
  /** '' until the person has let the page use the microphone. */
  readonly label: string
}

export interface AudioDevices {
  readonly inputs: readonly AudioDevice[]
  readonly outputs: readonly AudioDevice[]
}

export async function listAudioDevices(): Promise<AudioDevices> {
  const all = await navigator.mediaDevices.enumerateDevices()
  const of = (kind: MediaDeviceKind): AudioDevice[] =>
    all.filter(device => device.kind === kind).map(({ deviceId, label }) => ({ deviceId, label }))
  return { inputs: of('audioinput'), outputs: of('audiooutput') }
}
