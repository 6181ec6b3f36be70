import type { Command } from './command.ts'

/** `sauti doctor`. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check whether this machine is ready to run the switch',
  words: [],
  about: `Looks at file descriptors, UDP buffers, media ports, the clock, the certificate and its days left, the names of the trunks,
the HTTP and SIP listeners, the external address, real-time priority, what encodes Opus, and the disk. Beside a running switch it looks at that process;
without one at what a switch started here would have: run it as the switch's user, with its settings. Each line is ok, a
warning or a fault, with its remedy. It changes nothing. Only a call from outside shows what a firewall in between does.`,
  flags: [],
  examples: ['sauti doctor --config /etc/sauti/sauti.yaml', 'sauti doctor --json --data /var/lib/sauti'],
  settings: ['data', 'sip', 'media-ports', 'external-address'],
  exits: { 0: 'no fault; warnings are reported', 1: 'at least one fault', 2: 'a flag or setting is wrong' },
  run: async input => {
    const { runDoctor } = await import('./run-doctor.ts')
    return runDoctor(input)
  },
}
