import { paintFace, titleOf } from './face.js'
import { grouped } from './numbers.js'
import { t } from './texts.js'

/** A call that rings here, until it is answered, declined or over. `before`: what must be done before the answer. */
export function showIncoming(call, { before, answered, failed }) {
  const card = document.getElementById('incoming-card').content.firstElementChild.cloneNode(true)
  paintFace(card.querySelector('.face'), call)
  card.querySelector('b').textContent = titleOf(call)
  card.setAttribute('aria-label', t('{name} is calling', { name: titleOf(call) }))
  card.querySelector('.go').setAttribute('aria-label', t('Answer {name}', { name: titleOf(call) }))
  card.querySelector('.stop').setAttribute('aria-label', t('Decline {name}', { name: titleOf(call) }))
  card.querySelector('small').textContent =
    call.remoteName === '' ? t('is calling') : t('{name} is calling', { name: grouped(call.remoteIdentity) })
  card.querySelector('.go').addEventListener('click', () => {
    card.remove()
    before().then(() => {
      // The caller may have given up meanwhile.
      if (call.state !== 'ringing') return
      call.answer().catch(failed)
      answered()
    })
  })
  card.querySelector('.stop').addEventListener('click', () => call.reject())
  const gone = () => card.remove()
  call.on('ended', gone)
  call.on('failed', gone)
  return card
}
