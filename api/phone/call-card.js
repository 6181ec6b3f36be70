import { paintFace, titleOf } from './face.js'
import { keypad } from './keypad.js'
import { meter } from './meter.js'
import { t } from './texts.js'

const clock = ms => {
  const seconds = Math.floor(ms / 1000)
  const rest = String(seconds % 60).padStart(2, '0')
  return `${Math.floor(seconds / 60)}:${rest}`
}

const words = [
  [4.2, 4, 'Excellent'],
  [3.8, 3, 'Good'],
  [3.2, 2, 'Fair'],
  [0, 1, 'Poor'],
]

/** A call that is being made or lives, with everything that can be done with it. */
export function showCall(call, { ended, failed, alone }) {
  const card = document.getElementById('call-card').content.firstElementChild.cloneNode(true)
  const find = selector => card.querySelector(selector)
  const state = find('.state')
  let stopMeters = () => {}
  let isReconnecting = false

  paintFace(find('.face'), call)
  find('.title').textContent = titleOf(call)
  card.dataset.id = call.id
  card.setAttribute('aria-label', t('Call with {name}', { name: titleOf(call) }))

  let said = ''
  /** For who does not see: every word of the state but the clock's. */
  const tell = text => {
    const words = text.replace(/\d+:\d\d$/, '').trim()
    if (words !== said) find('.told').textContent = words === '' ? t('Connected') : words
    said = words
  }
  const describe = () => {
    const since = call.acceptedAt === undefined ? '' : clock(Date.now() - call.acceptedAt)
    if (isReconnecting) state.textContent = t('Reconnecting…')
    else if (call.state === 'trying') state.textContent = t('Calling…')
    else if (call.state === 'ringing') state.textContent = t('Ringing…')
    else if (call.state === 'answering') state.textContent = t('Answering…')
    else if (call.isOnHold) state.textContent = `${t('On hold')}  ${since}`
    else state.textContent = since
    tell(state.textContent)
    card.dataset.state = call.isOnHold ? 'held' : call.state
    find('.mute').setAttribute('aria-pressed', String(call.isMuted))
    find('.hold').setAttribute('aria-pressed', String(call.isOnHold))
    find('.hold span').textContent = t(call.isOnHold ? 'Resume' : 'Hold')
    find('.mute span').textContent = t(call.isMuted ? 'Muted' : 'Mute')
    if (call.isOnHold) find('.quality').hidden = true
    for (const button of card.querySelectorAll('.toggle')) button.disabled = call.state !== 'accepted'
    if (call.hasEarlyAudio) find('.keypad').disabled = false
  }
  const timer = setInterval(describe, 500)

  find('.mute').addEventListener('click', () => (call.isMuted ? call.unmute() : call.mute()))
  const press = key => {
    try {
      call.sendDigit(key)
      find('.sent').textContent = `${find('.sent').textContent}${key}`.slice(-16)
    } catch (fault) {
      failed(fault)
    }
  }
  card.addEventListener('digit', ({ detail }) => press(detail))
  find('.hold').addEventListener('click', async () => {
    find('.hold').disabled = true
    // Who is taken back is spoken to alone.
    if (call.isOnHold) await alone()
    await (call.isOnHold ? call.unhold() : call.hold()).catch(failed)
    describe()
  })
  find('.keypad').addEventListener('click', () => {
    find('.keys').hidden = !find('.keys').hidden
    card.classList.toggle('with-keys', !find('.keys').hidden)
    const isShown = String(!find('.keys').hidden)
    find('.keypad').setAttribute('aria-pressed', isShown)
    find('.keypad').setAttribute('aria-expanded', isShown)
  })
  find('.hang-up').setAttribute('aria-label', t('Hang up {name}', { name: titleOf(call) }))
  find('.hang-up').addEventListener('click', () => call.hangup())
  find('.keys').append(...keypad(press, { plus: false }))

  for (const name of ['ringing', 'hold', 'unhold', 'muted', 'unmuted']) call.on(name, describe)
  call.on('reconnecting', () => {
    isReconnecting = true
    describe()
  })
  call.on('reconnected', () => {
    isReconnecting = false
    describe()
  })
  call.on('accepted', () => {
    const mine = meter(() => call.localStream, find('.mine'))
    const theirs = meter(() => call.remoteStream, find('.theirs'), find('.halo'))
    stopMeters = () => {
      mine()
      theirs()
    }
    describe()
  })
  call.on('quality', quality => {
    const [, bars, word] = quality.noMedia ? [0, 0, 'No audio arrives'] : words.find(([from]) => quality.mos >= from)
    const codec = quality.codec === 'opus' ? 'Opus' : quality.codec
    const delay = quality.roundTripMs === undefined ? undefined : `${Math.round(quality.roundTripMs)} ms`
    const loss =
      quality.noMedia || quality.lossPercent < 0.05
        ? undefined
        : t('{percent} % lost', { percent: quality.lossPercent.toFixed(1) })
    // On hold nothing is to be played, so there is nothing to judge.
    find('.quality').hidden = call.isOnHold
    find('.quality').dataset.bars = String(bars)
    find('.words').textContent = [t(word), codec, delay, loss].filter(part => part !== undefined).join(' · ')
  })
  const close = () => {
    clearInterval(timer)
    stopMeters()
    card.remove()
    ended()
  }
  call.on('ended', close)
  call.on('failed', reason => {
    close()
    failed(reason)
  })
  describe()
  return card
}
