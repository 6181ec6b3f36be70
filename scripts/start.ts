import { endAtFault, untilSignal } from '../api/cli/serve.ts'
import { startFailure } from '../api/cli/start-failure.ts'
import { openLog } from '../api/log.ts'
import { openSwitch } from '../api/open-switch.ts'
import { preparePortal } from '../api/portal/portal-bundle.ts'
import { portalLinkOf } from '../api/routes/portal-sessions.ts'
import { type Serving, serve } from '../api/serving.ts'
import { readSettings } from '../api/settings-files.ts'
import type { Repositories, Settings } from '../core/index.ts'
import { type Demo, demoPeer, ensureDemo } from './demo-account.ts'
import { type DemoPhone, demoPhones } from './demo-phones.ts'

// `npm start`: the switch with settings for this machine, and at the first start a demo account.

const localSettings = { SAUTI_ALLOW_PRIVATE_URLS: '1', SAUTI_LOG: 'warn' } as const

const print = (text: string) => process.stdout.write(`${text}\n`)
const complain = (text: string) => process.stderr.write(`${text}\n`)

async function start(): Promise<number> {
  const parsed = readSettings({}, undefined, { ...localSettings, ...process.env })
  if (!parsed.ok) {
    for (const { name, message } of parsed.problems) complain(`${name}: ${message}`)
    return 2
  }
  const { settings } = parsed
  const log = openLog(settings.log)
  endAtFault(log)
  let serving: Serving
  let demo: Demo | undefined
  try {
    serving = await serve(settings, log, openSwitch, async ({ repositories }) => {
      demo = await ensureDemo(repositories, settings.dataFolder)
    })
  } catch (fault) {
    const sentence = startFailure(fault, settings)
    complain(
      sentence === undefined
        ? `Sauti could not start: ${(fault as Error).stack}`
        : `Sauti could not start: ${sentence}`,
    )
    log.flush()
    return 1
  }
  const { repositories } = serving.door
  const phones = demo === undefined ? [] : await demoPhones(repositories, demo, settings.sip.realm, settings.publicUrl)
  // The links in the banner are opened next.
  preparePortal()
  print(banner(settings, serving, demo, phones, await portalLinks(repositories, settings.publicUrl, demo)))
  await untilSignal(serving)
  log.flush()
  return 0
}

/** Each signs in once, within an hour. */
async function portalLinks({ portalSessions }: Repositories, publicUrl: string, demo: Demo | undefined) {
  const link = async (account: Demo['account'] | null) =>
    portalLinkOf(publicUrl, await portalSessions.link(account, 'link', Date.now()))
  return { portal: demo === undefined ? undefined : await link(demo.account), console: await link(null) }
}

/** At most a screenful. */
function banner(
  settings: Settings,
  serving: Serving,
  demo: Demo | undefined,
  phones: readonly DemoPhone[],
  links: Awaited<ReturnType<typeof portalLinks>>,
): string {
  const base = settings.publicUrl
  const sipPort = serving.door.sipListeners.find(listener => listener.transport === 'udp')?.port ?? 5060
  const at = sipPort === 5060 ? '127.0.0.1' : `127.0.0.1:${sipPort}`
  const general = [
    '',
    'Sauti is ready.',
    '',
    ...(links.portal === undefined ? [] : [`  Portal         ${links.portal}`]),
    `  Console        ${links.console}  (operator; both links are good once, for an hour)`,
    `  API            ${base}`,
    `  Explorer       ${base}/docs`,
    ...(demo === undefined ? [] : [`  API key        ${demo.key}`]),
    `  Operator key   ${serving.operatorKey}`,
    `  Data folder    ${settings.dataFolder}`,
  ]
  if (demo === undefined)
    return [...general, '', 'Ctrl-C lets live calls end, a second one stops at once.', ''].join('\n')
  const body = JSON.stringify({ to: demo.secondNumber, from: demo.number, url: demo.greetingUrl })
  return [
    ...general,
    '',
    ...phoneLines(phones, demo),
    'Call the demo number with any SIP client on this machine; it greets you and records you:',
    `  sip:${demo.number}@${at}`,
    '',
    'Place a call from one demo number to the other:',
    `  curl -H 'Authorization: Bearer ${demo.key}' -H 'Content-Type: application/json' \\`,
    `    -d '${body}' \\`,
    `    ${base}/calls/originate`,
    '',
    `Calls to numbers elsewhere go to the SIP client that listens on ${demoPeer.host}:${demoPeer.port}, if there is one.`,
    'Ctrl-C lets live calls end, a second one stops at once.',
    '',
  ].join('\n')
}

function phoneLines(phones: readonly DemoPhone[], demo: Demo): readonly string[] {
  if (phones.length === 0) return []
  return [
    `Talk to it in the browser: open a link, allow the microphone, dial ${demo.number} (links are good for an hour):`,
    ...phones.map(({ name, extension, link }) => `  ${name} (${extension})  ${link}`),
    '',
  ]
}

process.exitCode = await start()
