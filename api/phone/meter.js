let context

/** Draws how loud a stream is, 0 to 1, into `--level` of the elements, until the returned function is called. */
export function meter(stream, ...elements) {
  context ??= new AudioContext()
  if (context.state === 'suspended') context.resume()
  const analyser = context.createAnalyser()
  analyser.fftSize = 512
  const samples = new Float32Array(analyser.fftSize)
  let source
  let track
  let frame
  let level = 0
  const draw = () => {
    frame = requestAnimationFrame(draw)
    const [current] = stream().getAudioTracks()
    if (current !== track) {
      source?.disconnect()
      track = current
      source = current === undefined ? undefined : context.createMediaStreamSource(new MediaStream([current]))
      source?.connect(analyser)
    }
    analyser.getFloatTimeDomainData(samples)
    let sum = 0
    for (const sample of samples) sum += sample * sample
    // −60 dB to 0 dB as 0 to 1; up at once, down slowly, as meters do.
    const loud = Math.max(0, Math.min(1, 1 + Math.log10(Math.max(1e-9, Math.sqrt(sum / samples.length))) / 3))
    level = Math.max(loud, level - 0.03)
    for (const element of elements) element.style.setProperty('--level', level.toFixed(3))
  }
  draw()
  return () => {
    cancelAnimationFrame(frame)
    source?.disconnect()
  }
}
