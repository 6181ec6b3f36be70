import type { Command } from './command.ts'

/** `sauti init`. */
export const init: Command = {
  name: 'init',
  summary: 'make the settings file, the data folder and the first account',
  words: [],
  about: `On a terminal it asks for what no flag gives; otherwise it takes the defaults. Writes the settings file (--config), checks the
settings, makes the data folder with its operator key, and prints what to do next. It never overwrites: when the settings file
or the database exists already, it changes nothing.`,
  flags: [
    { flag: 'domain', value: 'NAME', help: 'SIP domain, and host of the public address (localhost)' },
    { flag: 'external-address', value: 'IP', help: 'address written in SDP and Contact (detected)' },
    { flag: 'trunk', value: 'HOST', help: "the carrier's name or address (no trunk)" },
    { flag: 'trunk-hosts', value: 'A,B', help: 'addresses that its calls come from (none: no inbound calls)' },
    { flag: 'account', value: 'NAME', help: 'name of the first account (no account)' },
    { flag: 'data', value: 'FOLDER', help: 'the data folder (./data)' },
  ],
  settings: [],
  examples: [
    'sauti init',
    'sauti init --domain voice.example.com --external-address 203.0.113.7 --trunk sip.carrier.example --account Shamba',
  ],
  exits: { 0: 'made', 1: 'a file exists already, or cannot be written', 2: 'a flag or an answer is wrong' },
  needsNoSettings: true,
  run: async input => {
    const { runInit } = await import('./run-init.ts')
    return runInit(input)
  },
}
