import { titleOf } from './face.js'
import { describeFailure } from './sauti-phone.js'
import { say } from './texts.js'

const kept = 5

/** One line for a call that is over, newest first; a press on it calls `redial`. Nothing outlives the page. */
export function remember(list, call, reason, redial) {
  const item = document.createElement('li')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = call.direction
  const name = document.createElement('b')
  name.textContent = titleOf(call)
  const how = document.createElement('small')
  const isElsewhere = reason.cause === 'Answered elsewhere'
  const isMissed =
    call.direction === 'inbound' && call.acceptedAt === undefined && reason.by !== 'local' && !isElsewhere
  const seconds = call.acceptedAt === undefined ? 0 : Math.round((Date.now() - call.acceptedAt) / 1000)
  if (seconds > 0) how.textContent = `${seconds} s`
  else say(how, isMissed ? 'Missed' : describeFailure(reason))
  item.classList.toggle('missed', isMissed)
  button.append(name, how)
  button.addEventListener('click', () => redial(call.remoteIdentity))
  item.append(button)
  list.prepend(item)
  while (list.children.length > kept) list.lastElementChild.remove()
}
