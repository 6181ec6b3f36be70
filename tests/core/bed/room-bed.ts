import type { LegUuid } from '../../../core/model/ids.ts'
import { own } from './acme.ts'
import { CallBed } from './call-bed.ts'

/** A number of its own for each document, so that calls can bring different ones. */
export class RoomBed extends CallBed {
  #numbers = 0

  /** A call whose document is this; what follows the Dial is `after`. */
  guest(conference: string, dial = '', after = '<Pause length="600"/>'): LegUuid {
    const number = `+25470010000${this.#numbers++}`
    const url = `https://acme.test/doc/${number}`
    this.own(own(number, url))
    this.documents.set(
      url,
      `<Response><Dial action="/after" ${dial}><Conference ${conference}</Conference></Dial></Response>`,
    )
    this.documents.set('https://acme.test/after', `<Response>${after}</Response>`)
    const leg = this.call(number)
    this.run(500)
    return leg
  }

  /** What media was ordered for a leg's rooms and plays. */
  reported(leg: LegUuid): readonly string[] {
    return this.commands.flatMap(command => {
      if (!('legId' in command) || command.legId !== leg) return []
      if (command.type === 'media.join') return [`join ${command.room}${command.muted ? ' muted' : ''}`]
      if (command.type === 'media.leave') return ['leave']
      if (command.type === 'media.room-tone') return [command.tone]
      if (command.type === 'media.play') {
        return [`play ${command.source.kind === 'tone' ? command.source.tone : command.source.path}`]
      }
      return command.type === 'media.stop' ? ['stop'] : []
    })
  }

  isAnswered(leg: LegUuid): boolean {
    return this.of('leg.answer').some(({ legId }) => legId === leg)
  }

  actions(): readonly Readonly<Record<string, unknown>>[] {
    return this.posts.filter(post => post.url.endsWith('/after')).map(post => post.fields)
  }
}
