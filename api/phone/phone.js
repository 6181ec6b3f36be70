import { showCall } from './call-card.js'
import { fillDevices, watchVolume } from './device-lists.js'
import { titleOf } from './face.js'
import { showIncoming } from './incoming-card.js'
import { keypad } from './keypad.js'
import { remember } from './recent-calls.js'
import { describeFailure, Phone } from './sauti-phone.js'
import { listenToKeys } from './shortcuts.js'
import { say, t, writePage } from './texts.js'

// The page joins the SDK to what is on it; every rule of telephony is the SDK's.

writePage()

const at = id => document.getElementById(id)
const frame = document.querySelector('.phone')
const wssUrl = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/sip`

let phone
try {
  // The switch is reachable itself: the browser's own addresses are enough, and no foreign STUN server learns of calls.
  phone = new Phone({ wssUrl, iceServers: [], logLevel: 'error' })
} catch (fault) {
  notice(fault.message)
  at('sign-in').hidden = true
}

// For the one who looks at the phone from the browser's console.
globalThis.phone = phone

function notice(text) {
  say(at('notice'), text)
  at('notice').hidden = text === ''
}

/** That a person hung up needs no words; that the service cut the call off does. */
function noticeUnusual(reason) {
  const text = describeFailure(reason)
  if (text !== 'The call has ended.') notice(text)
}

function status(state, text) {
  at('status').dataset.state = state
  at('status').textContent = t(text)
}

const title = document.title

/** Who calls, for a tab that is not looked at. */
function nameTab() {
  const caller = phone.calls.find(rings)
  document.title = caller === undefined ? title : t('{name} is calling', { name: titleOf(caller) })
}

function view() {
  const name = phone.calls.some(isShown) ? 'call' : phone.extension === undefined ? 'sign-in' : 'dialler'
  const isOther = frame.dataset.view !== name
  frame.dataset.view = name
  at('sign-out').hidden = phone.extension === undefined
  nameTab()
  // The focus goes where the next step is, unless something was left under it.
  const isLost = document.activeElement === document.body || document.activeElement?.checkVisibility() !== true
  if (isOther && isLost) step(firstSteps[name])
}

/** Not where a focused field would bring a keyboard over half the screen. */
function step(selector) {
  const isField = selector !== firstSteps.call
  if (!isField || matchMedia('(hover: hover)').matches) frame.querySelector(selector)?.focus()
}

const firstSteps = { 'sign-in': '#token', dialler: '#number', call: '.hang-up' }
const rings = call => call.direction === 'inbound' && call.state === 'ringing'

const isShown = call => call.direction === 'outbound' || call.state === 'accepted' || call.state === 'answering'

function follow(call) {
  const show = () => {
    const failed = reason => notice(describeFailure(reason))
    at('calls').append(showCall(call, { ended: view, failed, alone: () => holdOthers(call) }))
    view()
  }
  if (call.direction === 'inbound') {
    const card = showIncoming(call, {
      before: () => holdOthers(call),
      answered: show,
      failed: fault => notice(fault.message),
    })
    at('incoming').append(card)
    // Who is typing a number goes on typing.
    if (at('number').value === '' && !phone.calls.some(isShown)) card.querySelector('.go').focus()
    nameTab()
  } else show()
  const finished = reason => {
    remember(at('recent'), call, reason, number => {
      at('number').value = number
      at('number').focus()
    })
    view()
  }
  call.on('ended', reason => {
    finished(reason)
    // The one who hangs up knows why.
    if (reason.by !== 'local' && reason.cause !== 'Signed out') noticeUnusual(reason)
  })
  call.on('failed', finished)
  call.on('accepted', () => {
    holdOthers(call)
    // A permission given for the call shows the devices by name.
    fillDevices(phone, at('input'), at('output'))
  })
}

const mostWaitForHoldMs = 3_000

/** One conversation at a time: nobody overhears what is said to somebody else. Who cannot be held is muted. */
async function holdOthers(call) {
  const others = phone.calls.filter(other => other !== call && other.state === 'accepted' && !other.isOnHold)
  const held = others.map(async other => {
    const wasMuted = other.isMuted
    other.mute()
    await other.hold()
    if (!wasMuted) other.unmute()
  })
  await Promise.race([Promise.allSettled(held), new Promise(resolve => setTimeout(resolve, mostWaitForHoldMs))])
}

async function signIn(credentials) {
  notice('')
  status('busy', 'Signing in…')
  try {
    await phone.authenticate(credentials)
    at('token').value = ''
  } catch (fault) {
    status('off', 'Signed out')
    notice(fault.message)
  }
  view()
}

let lastDialled = ''

function dial(number) {
  notice('')
  try {
    follow(phone.call(number))
    lastDialled = number
    at('number').value = ''
  } catch (fault) {
    notice(fault.message)
  }
}

/** The call that keys of the keyboard are for: the one that is not on hold. */
const current = () => phone.calls.find(call => isShown(call) && !call.isOnHold) ?? phone.calls.find(isShown)
const cardOf = call => document.querySelector(`.call[data-id="${call.id}"]`)
const click = name => {
  const call = current()
  if (call !== undefined) cardOf(call)?.querySelector(name)?.click()
}

function useKeys() {
  listenToKeys({
    digit: key => {
      const call = current()
      if (call !== undefined) cardOf(call)?.dispatchEvent(new CustomEvent('digit', { detail: key }))
      else if (phone.extension !== undefined) {
        at('number').value += key
        at('number').focus()
      }
    },
    erase: () => {
      at('number').value = at('number').value.slice(0, -1)
    },
    mute: () => click('.mute'),
    hold: () => click('.hold'),
    end: () => {
      if (at('settings').hidden) (current() ?? phone.calls.find(rings))?.hangup()
      else at('settings-button').click()
    },
  })
}

/** A link may bring the token behind #, where no server and no log sees it. */
function tokenOfLink() {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const token = fragment.get('token')
  if (token === null) return undefined
  history.replaceState(null, '', location.pathname)
  try {
    return { token, iceServers: JSON.parse(fragment.get('ice') ?? '[]') }
  } catch {
    return { token }
  }
}

function start() {
  phone.on('registered', () => {
    status('on', phone.extension)
    at('me').textContent = phone.displayName || 'Sauti'
  })
  phone.on('unregistered', reason => {
    status('off', 'Signed out')
    at('me').textContent = 'Sauti'
    if (reason.cause !== 'Signed out') notice(describeFailure(reason))
    view()
  })
  phone.on('disconnected', ({ willRetry }) => {
    if (willRetry && phone.extension !== undefined) status('busy', 'Reconnecting…')
  })
  phone.on('incoming', follow)
  phone.on('tokenWillExpire', ({ secondsLeft }) =>
    notice(`The token ends in ${secondsLeft} seconds. Sign in with a new one to stay reachable.`),
  )
  phone.on('devicesChanged', () => fillDevices(phone, at('input'), at('output')))

  at('sign-in').addEventListener('submit', event => {
    event.preventDefault()
    signIn(at('token').value.trim())
  })
  at('dialler').addEventListener('submit', event => {
    event.preventDefault()
    if (at('number').value.trim() !== '') dial(at('number').value)
    // Enter on nothing shows the last number, and again calls it.
    else at('number').value = lastDialled
  })
  at('erase').addEventListener('click', () => {
    at('number').value = at('number').value.slice(0, -1)
  })
  at('keys').append(
    ...keypad(key => {
      at('number').value += key
    }),
  )
  at('settings-button').addEventListener('click', () => {
    at('settings').hidden = !at('settings').hidden
    at('settings-button').setAttribute('aria-expanded', String(!at('settings').hidden))
    fillDevices(phone, at('input'), at('output'))
  })
  at('input').addEventListener('change', () =>
    phone.setInputDevice(at('input').value).catch(fault => notice(fault.message)),
  )
  at('output').addEventListener('change', () =>
    phone.setOutputDevice(at('output').value).catch(fault => notice(fault.message)),
  )
  watchVolume(phone, at('volume'))
  at('sign-out').addEventListener('click', () => {
    at('settings').hidden = true
    phone.unregister()
  })

  useKeys()
  view()

  const link = tokenOfLink()
  if (link === undefined) {
    step(firstSteps['sign-in'])
    return
  }
  signIn(link)
}

if (phone !== undefined) start()
