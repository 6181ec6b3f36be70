export interface PieceSizes {
  /** Characters of the first piece, about: it is waited for. */
  readonly first: number
  /**
   * Approximate length of any later piece. Each is at most twice as long as the one before it, which plays while it
   * is made.
   */
  readonly most: number
}

/** After these a full stop ends no sentence. */
const abbreviation =
  /(^|[\s(])(mr|mrs|ms|dr|prof|rev|st|no|nr|vs|etc|e\.g|i\.e|approx|dept|ext|tel|bw|bi|dkt|\p{Lu})\.$/iu
const sentenceEnd = /([.!?…]+["'”’»)\]]*)(?=\s)|[。！？]["”’」』）]*/gu
const clauseEnd = /[,;:–—](?=\s)|[，、；：]/gu
const wordEnd = /\S(?=\s)/gu

/**
 * A text cut for an engine that speaks it piece by piece: after sentences where it can, else after clauses, else between
 * words. A text that is little longer than the first piece stays whole. The pieces, joined by spaces, are the text.
 */
export function cutSpeech(text: string, { first, most }: PieceSizes): readonly string[] {
  const pieces: string[] = []
  let rest = text.trim()
  for (let size = first; rest !== ''; size = Math.min(most, 2 * size)) {
    const end = rest.length <= 1.5 * size ? rest.length : cutOf(rest, size)
    pieces.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  return pieces
}

/** Where a piece of about `size` characters ends. */
function cutOf(text: string, size: number): number {
  const least = size / 4
  const window = text.slice(0, 2 * size + 1)
  const sentences = endsIn(window, sentenceEnd).filter(end => end >= least && !abbreviation.test(text.slice(0, end)))
  const clauses = endsIn(window, clauseEnd).filter(end => end >= least)
  const ends = sentences.length > 0 ? sentences : clauses.length > 0 ? clauses : endsIn(window, wordEnd)
  const end = ends.findLast(at => at <= size) ?? ends[0]
  if (end !== undefined) return end
  // Only letters; a surrogate pair is not split.
  const isTorn = /[\ud800-\udbff]/.test(text[size - 1] ?? '')
  return isTorn ? size + 1 : size
}

const endsIn = (text: string, pattern: RegExp): number[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => index + found.length)

/** Samples of a piece begin and end so softly, where others adjoin it. */
const easedMs = 2

/** 16 bits, little-endian, in place: fades the ends, so that a cut within a sound does not click. */
export function easeEnds(
  pcm: Uint8Array,
  sampleRate: number,
  sides: { readonly from: boolean; readonly to: boolean },
): void {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength & ~1)
  const samples = view.byteLength / 2
  const length = Math.min(Math.round((easedMs * sampleRate) / 1000), samples >> 1)
  for (let i = 0; i < length; i++) {
    const share = i / length
    const last = 2 * (samples - 1 - i)
    if (sides.from) view.setInt16(2 * i, Math.round(view.getInt16(2 * i, true) * share), true)
    if (sides.to) view.setInt16(last, Math.round(view.getInt16(last, true) * share), true)
  }
}
