import { paintFace, titleOf } from './face.js'

/** A call that rings here, until it is answered, declined or over. */
export function showIncoming(call, { answered, failed }) {
  const card = document.getElementById('incoming-card').content.firstElementChild.cloneNode(true)
  paintFace(card.querySelector('.face'), call)
  card.querySelector('b').textContent = titleOf(call)
  card.setAttribute('aria-label', `${titleOf(call)} is calling`)
  card.querySelector('.go').setAttribute('aria-label', `Answer ${titleOf(call)}`)
  card.querySelector('.stop').setAttribute('aria-label', `Decline ${titleOf(call)}`)
  card.querySelector('small').textContent = call.remoteName === '' ? 'is calling' : `${call.remoteIdentity} is calling`
  card.querySelector('.go').addEventListener('click', () => {
    card.remove()
    call.answer().catch(failed)
    answered()
  })
  card.querySelector('.stop').addEventListener('click', () => call.reject())
  const gone = () => card.remove()
  call.on('ended', gone)
  call.on('failed', gone)
  return card
}
