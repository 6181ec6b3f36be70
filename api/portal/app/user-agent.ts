// What a browser calls itself (User-Agent), as people know it. No grammar says which product of the list is the browser
// (RFC 9110 §10.1.5): what is well known is named, and the whole text stays at hand.

/** The first that fits: each browser also names those that it wants to be taken for. */
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdgi?(?:OS|A)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chromium', /\bHeadlessChrome\/(\d+)/],
  ['Chrome', /\b(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//],
]
const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['iPadOS', /\biPad\b/],
  ['iOS', /\biPhone\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows NT\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

/** `system` is empty where none is named; undefined: no browser that is known. */
export function browserOf(userAgent: string): { readonly browser: string; readonly system: string } | undefined {
  if (!userAgent.startsWith('Mozilla/')) return undefined
  for (const [name, pattern] of browsers) {
    const [, version] = pattern.exec(userAgent) ?? []
    if (version === undefined) continue
    const [system = ''] = systems.find(([, known]) => known.test(userAgent)) ?? []
    return { browser: `${name} ${version}`, system }
  }
  return undefined
}
