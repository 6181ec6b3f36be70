import type { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'

/** A served switch's metrics at one moment, by name and labels as Prometheus writes them. */
export class Scrape {
  readonly #samples = new Map<string, number>()

  private constructor(text: string) {
    for (const line of text.split('\n')) {
      const at = line.lastIndexOf(' ')
      if (at > 0 && !line.startsWith('#')) this.#samples.set(line.slice(0, at), Number(line.slice(at + 1)))
    }
  }

  static async of(on: SwitchProcess): Promise<Scrape> {
    const { body } = await on.request(on.operatorKey, 'GET', '/metrics')
    return new Scrape(String(body))
  }

  /** 0 when the switch has no such sample. */
  read(name: string): number {
    return this.#samples.get(name) ?? 0
  }

  /** Samples whose name begins so, with their labels. */
  *named(name: string): Iterable<readonly [labels: string, value: number]> {
    for (const [sample, value] of this.#samples)
      if (sample.startsWith(`${name}{`)) yield [sample.slice(name.length + 1, -1), value]
  }
}
