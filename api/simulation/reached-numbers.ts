/** Numbers and SIP URIs of which prices are looked up; a document that names more is no document of a call. */
const mostNamed = 1000
/** A number as `<Number>` takes it, or one of a SIP URI. */
const digits = /\+?\d{3,20}/g
const sipUri = /\bsips?:[^\s<>"']+/gi

/** What documents may dial, as it is written in them: every number and SIP URI that they name, wherever it stands. */
export function namedIn(texts: Iterable<string>): readonly string[] {
  const named = new Set<string>()
  for (const text of texts) {
    const plain = text.replace(/&#(x?)([\da-f]{1,6});/gi, (_all, isHex: string, code: string) =>
      String.fromCharCode(Number.parseInt(code, isHex === '' ? 10 : 16)),
    )
    for (const pattern of [sipUri, digits]) {
      for (const [found] of plain.matchAll(pattern)) {
        if (named.size >= mostNamed) return [...named]
        named.add(found)
      }
    }
  }
  return [...named]
}
