import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { freePort } from '../rig/probes/ports.ts'
import { until } from '../rig/probes/wait.ts'

// A newcomer's minute: clone, npm start. Timed limits are the issue's own, widely kept.
const first = suite('first start')

const root = new URL('../../', import.meta.url).pathname

first('clone, npm start: ready, and again in less time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-clone-'))
  try {
    const clone = spawnSync('git', ['clone', '-q', root, join(folder, 'sauti')], { encoding: 'utf8' })
    assert.is(clone.status, 0, clone.stderr)
    const http = await freePort()
    const sip = await freePort()
    // As a shell of the newcomer's: not with the Node of this project first in the path.
    const path = (process.env.PATH ?? '')
      .split(':')
      .filter(entry => !entry.includes('node_modules'))
      .join(':')
    const { npm_config_local_prefix: _prefix, INIT_CWD: _cwd, ...env } = process.env
    const start = async (limitMs: number): Promise<string> => {
      const child = spawn('npm', ['start'], {
        cwd: join(folder, 'sauti'),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...env,
          PATH: path,
          SAUTI_HTTP: `127.0.0.1:${http}`,
          SAUTI_PUBLIC_URL: `http://127.0.0.1:${http}`,
          SAUTI_SIP: `udp:127.0.0.1:${sip},tcp:127.0.0.1:${sip}`,
          SAUTI_MEDIA_PORTS: '21000-21099',
        },
      })
      let output = ''
      child.stdout.on('data', chunk => {
        output += chunk
      })
      child.stderr.on('data', chunk => {
        output += chunk
      })
      try {
        await until(
          'GET /health/ to say ok',
          async () => {
            if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output}`)
            const response = await fetch(`http://127.0.0.1:${http}/health/`).catch(() => undefined)
            return response?.status === 200 && ((await response.json()) as { status: string }).status === 'ok'
          },
          limitMs,
        )
        await until('the welcome', () => output.includes('curl'), 2000)
        return output
      } finally {
        if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
      }
    }
    const welcome = await start(60_000)
    const lines = welcome.slice(welcome.indexOf('\n\n')).split('\n')
    assert.ok(lines.length <= 40, `${lines.length} lines`)
    assert.match(welcome, /vk_\w+_[\w-]{43}/)
    assert.match(welcome, /\/docs/)
    await start(6_000)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

first.run()
