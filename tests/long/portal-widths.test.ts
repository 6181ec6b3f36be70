import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { beyond, consolePages, customerPages, PortalBed } from '../rig/beds/portal-bed.ts'
import { type Filling, fill } from '../rig/beds/portal-filling.ts'

// Every page with data, in both languages, from a phone to a wide screen, and on either side of each width at which the menu
// or a table changes its form: nothing lies beyond the edge of the page or of its card.
const widths = [320, 360, 480, 768, 831, 832, 899, 900, 1023, 1024, 1095, 1096, 1180, 1275, 1276, 1280, 1356, 1920]

/** In the page: what lies beyond its card, and is not in a part that scrolls. */
const outside = `[...document.querySelectorAll('.card *')]
  .filter(it => it.checkVisibility() && !it.closest('.hidden, thead, .ladder, .diff, pre, .cut, svg, .timeline, .cm-editor')
    && it.getBoundingClientRect().right > it.closest('.card').getBoundingClientRect().right + 1)
  .map(it => it.outerHTML.slice(0, 100)).slice(0, 3)`

const pages = suite('portal: widths')

let bed: PortalBed
let filling: Filling

pages.before(async () => {
  bed = await PortalBed.open({ prefixes: ['+254'] })
  filling = await fill(bed.bed)
})

pages.after(async () => {
  await bed?.close()
})

for (const language of ['en', 'sw'])
  pages(`nothing lies beyond its card: ${language}`, async () => {
    const faults: string[] = []
    const tab = await bed.tab()
    const { page } = tab
    await page.context().addInitScript(`localStorage.setItem('language', '${language}')`)
    const { call, failed, document } = filling
    const single = [`calls/${call}`, `calls/${failed}`, `documents/${document}`]
    const account = `operator/accounts/${bed.bed.account.uuid}`
    for (const path of [...customerPages, ...single, ...consolePages, account]) {
      await tab.go(path)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        for (const it of await page.evaluate<string[]>(`[...${beyond}, ...${outside}]`))
          faults.push(`${path}, ${width} px: ${it}`)
      }
    }
    assert.equal(faults, [])
    await page.context().close()
  })

pages.run()
