import { isOgg, oggChecksum, oggHeadLength } from './page.ts'

/** A page as it lies in a file, checked. */
interface FoundPage {
  readonly flags: number
  /** In 48,000ths of a second; undefined where it is none that a number holds, as on a page where no packet ends. */
  readonly position: number | undefined
  readonly serial: number
  readonly sequence: number
  readonly segments: number
  /** Where its content begins. */
  readonly from: number
  readonly end: number
}

/** The page that begins there. `cut`: the bytes end before it does. */
export const pageAt = (bytes: Uint8Array, view: DataView, at: number): FoundPage | 'cut' | 'bad' => {
  if (at + oggHeadLength > bytes.length) return 'cut'
  const segments = bytes[at + 26]!
  if (!isOgg(bytes, at) || bytes[at + 4] !== 0) return 'bad'
  const from = at + oggHeadLength + segments
  if (from > bytes.length) return 'cut'
  let end = from
  for (let n = 0; n < segments; n++) end += bytes[at + oggHeadLength + n]!
  if (end > bytes.length) return 'cut'
  if (oggChecksum(bytes, at, end - at) !== view.getUint32(at + 22, true)) return 'bad'
  const high = view.getUint32(at + 10, true)
  return {
    flags: bytes[at + 5]!,
    position: high < 0x20_0000 ? high * 0x1_0000_0000 + view.getUint32(at + 6, true) : undefined,
    serial: view.getUint32(at + 14, true),
    sequence: view.getUint32(at + 18, true),
    segments,
    from,
    end,
  }
}

/** Where the next page may begin; −1 = nowhere. */
export const nextCapture = (bytes: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(0x4f, from); at >= 0; at = bytes.indexOf(0x4f, at + 1)) if (isOgg(bytes, at)) return at
  return -1
}
