import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { copyTree } from '../rig/beds/copied-tree.ts'
import { freePort } from '../rig/probes/ports.ts'
import { until } from '../rig/probes/wait.ts'

// The package as a user installs it: npm pack, npm install in an empty folder, its examples compiled and run.
const packed = suite('package sauti')

const root = new URL('../../', import.meta.url).pathname
/** The modules one by one for who imports them, and once more in few files for who starts the program. */
const mostMegabytes = 5
const operatorKey = 'operator-key-of-this-test'
let bench: string
let app: string
let archive: string

/** As in a user's shell: nothing of the npm that runs this test. */
const { npm_config_local_prefix: _prefix, INIT_CWD: _cwd, FORCE_COLOR: _color, ...env } = process.env

function run(command: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stdout}${done.stderr}`)
  return done.stdout
}

packed.before(() => {
  bench = mkdtempSync(join(tmpdir(), 'sauti-package-'))
  const tree = copyTree(join(bench, 'tree'))
  // As after npm run build:deb: what else is built is no part of the package.
  mkdirSync(join(tree, 'dist'), { recursive: true })
  for (const name of ['sauti-linux-x64', 'sauti_0.1.0_amd64.deb']) writeFileSync(join(tree, 'dist', name), name)
  run('npm', ['pack', '--silent', '--pack-destination', bench], tree)
  archive = join(bench, readdirSync(bench).find(name => name.endsWith('.tgz')) ?? '')
  app = join(bench, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // Node's types stand in every project that is written in TypeScript for Node.
  const types = `@types/node@${devDependencies['@types/node']}`
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', archive, types], app)
  for (const name of readdirSync(join(root, 'docs/library'))) cpSync(join(root, 'docs/library', name), join(app, name))
})

packed.after(() => rmSync(bench, { recursive: true, force: true }))

packed('holds what runs and its types, no source, no test, no bench, and is small', () => {
  const folder = join(app, 'node_modules/sauti')
  assert.equal(readdirSync(folder).sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'package.json'])
  const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
  assert.equal(
    files.filter(name => /^sauti[-_]/.test(name)),
    [],
  )
  assert.equal(
    files.filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts')),
    [],
  )
  for (const name of files.filter(
    name => name.endsWith('.js') && !/^(api\/(explorer|phone|portal\/built)|sdk)\//.test(name),
  ))
    assert.ok(existsSync(join(folder, 'dist', `${name}.map`)), `${name} has its source map`)
  const notices = readFileSync(join(folder, 'dist/THIRD-PARTY-NOTICES'), 'utf8')
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), 'espeak-ng', 'preact']) assert.match(notices, `\n${name} `)
  assert.match(notices, /GNU GENERAL PUBLIC LICENSE[\s\S]*GNU LESSER GENERAL PUBLIC LICENSE/)
  assert.ok(statSync(archive).size < mostMegabytes * 1_000_000, `${statSync(archive).size} bytes`)
})

packed('its examples compile under strict, the declarations of all its entries with them', () => {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ['node'],
    outDir: 'built',
  }
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  run(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], app)
})

packed('its examples run', () => {
  const reported = (name: string) => run(process.execPath, [`built/${name}.js`], app)
  assert.match(reported('embed'), /CALL\.0100[\s\S]*CALL\.0300/)
  assert.match(reported('recordings'), /^wav 1 s audio\n$/)
  // Again in the same folder, as at the second start of a program.
  assert.match(reported('embed'), /CALL\.0100[\s\S]*CALL\.0300/)
  assert.match(reported('recordings'), /^(wav 1 s audio\n){2}$/)
  assert.match(reported('documents'), /<Say>Karibu<\/Say><Dial timeout="20"><Number>\+254711000001<\/Number><\/Dial>/)
  assert.match(reported('testing'), /END\.\d{4}[\s\S]*Press one/)
  assert.match(
    reported('sip'),
    /^1@a\.test\namina\na\.test\n\d+\nDigest username="amina"\n[\s\S]*m=audio 10000 RTP\/AVP 0\r?\n[\s\S]*PCMU\n$/,
  )
  assert.match(reported('rtp'), /^-13\n250\n0 12 160\n\{ digit: '5', durationMs: 100 \}\n$/)
  assert.equal(
    readdirSync(app)
      .filter(name => name.endsWith('.ts'))
      .sort(),
    ['documents.ts', 'embed.ts', 'recordings.ts', 'rtp.ts', 'sip.ts', 'testing.ts'],
    'each has its line here',
  )
})

packed('what is not exported cannot be imported', () => {
  const script = "import('sauti/dist/core/index.js').then(() => 'found', fault => fault.code).then(console.log)"
  assert.is(run(process.execPath, ['--input-type=module', '-e', script], app).trim(), 'ERR_PACKAGE_PATH_NOT_EXPORTED')
})

packed('npx sauti: simulates documents; serves health, explorer, phone page, SDK and simulations', async () => {
  const document = `<Response>
    <Gather numDigits="1"><Say>Press one</Say></Gather><Dial><Number>+254711000001</Number></Dial>
  </Response>`
  const port = await freePort()
  const sip = await freePort()
  const program = join(app, 'node_modules/.bin/sauti')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.is(run(process.execPath, [program, '--version'], app).trim(), version)
  assert.match(run(process.execPath, [program, 'licences'], app), /^Sauti carries/)
  // Longer than a pipe holds, and only its first line is read: no failure, and no complaint.
  const line = `"${process.execPath}" "${program}" licences 2>&1 | head -1; echo \${PIPESTATUS[0]}`
  assert.match(run('bash', ['-c', line], app), /^Sauti carries.*\n0\n$/)
  writeFileSync(join(app, 'menu.xml'), document)
  const course = run(process.execPath, [program, 'simulate', 'menu.xml', '--press', '1', '--answer', 'busy'], app)
  assert.match(course, /say "Press one"[\s\S]*digit 1[\s\S]*\+254711000001 ended: END\.0486[\s\S]*completed: END/)
  const server: ChildProcess = spawn(process.execPath, [program, 'serve'], {
    cwd: app,
    env: {
      ...env,
      SAUTI_DATA: join(bench, 'data'),
      SAUTI_HTTP: `127.0.0.1:${port}`,
      SAUTI_PUBLIC_URL: `http://127.0.0.1:${port}`,
      SAUTI_SIP: `udp:127.0.0.1:${sip}`,
      SAUTI_MEDIA_PORTS: '41000-41099',
      SAUTI_OPERATOR_KEY: operatorKey,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr])
    stream?.on('data', chunk => {
      output += chunk
    })
  try {
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
    await until(
      'GET /health/ to say ok',
      async () => {
        if (server.exitCode !== null) throw new Error(`serve ended with ${server.exitCode}:\n${output}`)
        return (await get('/health/').catch(() => undefined))?.status === 200
      },
      120_000,
    )
    for (const path of ['/docs', '/phone', '/phone/phone.js', '/phone/sauti-phone.js', '/openapi.json']) {
      const response = await get(path)
      assert.is(response.status, 200, path)
      assert.ok((await response.text()).length > 100, path)
    }
    const post = async (path: string, key: string, body: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      const text = await response.text()
      assert.ok(response.ok, `${path}: ${response.status} ${text}`)
      return JSON.parse(text)
    }
    // Simulations have a thread of their own, which the program's bundle must hold.
    const { key } = await post('/operator/accounts', operatorKey, { name: 'Shamba Ltd' })
    const { steps } = await post('/documents/simulate', key, { body: document, press: ['1'] })
    assert.match(JSON.stringify(steps), /Press one.*digit 1.*dial \+254711000001/)
  } finally {
    server.kill('SIGTERM')
    await until('its end', () => server.exitCode !== null || server.signalCode !== null, 60_000)
  }
  assert.is(server.exitCode, 0, output)
  assert.match(run(process.execPath, [program, 'check', '--data', join(bench, 'data')], app), /./)
})

packed.run()
