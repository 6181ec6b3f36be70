import { execFileSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

/** Bytes of the space of young objects of a program whose objects survive for a while, after `before`. */
function youngBytes(before: string): number {
  const module = new URL('../../api/cli/garbage-collection.ts', import.meta.url).href
  const program = `import { getHeapSpaceStatistics } from 'node:v8'
    import { holdYoungSpace } from ${JSON.stringify(module)}
    ${before}
    let kept = []
    for (let round = 0; round < 40; round++) {
      for (let each = 0; each < 40_000; each++) kept.push({ each, of: [each] })
      if (kept.length > 150_000) kept = []
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    console.log(space.space_used_size + space.space_available_size)`
  const flags = ['--input-type=module', '--disable-warning=ExperimentalWarning']
  return Number(execFileSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' }))
}

const megabyte = 1024 * 1024

test('the space of young objects stays small where it is held, and grows where it is not', () => {
  const held = youngBytes('holdYoungSpace()')
  assert.ok(held >= 2 * megabyte && held <= 8 * megabyte, `${held}`)
  const free = youngBytes('')
  assert.ok(free >= 16 * megabyte, `${free}`)
})

test.run()
