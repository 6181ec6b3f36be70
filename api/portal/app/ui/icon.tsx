const shapes = {
  home: 'M4 11.5 12 5l8 6.5V20h-5.5v-5h-5v5H4z',
  calls:
    'M6.6 10.8a15 15 0 0 0 6.6 6.6l2.2-2.2a1 1 0 0 1 1-.25 11.4 11.4 0 0 0 3.6.57 1 1 0 0 1 1 1V20a1 1 0 0 1-1 1A17 17 0 0 1 3 4a1 1 0 0 1 1-1h3.5a1 1 0 0 1 1 1c0 1.25.2 2.45.57 3.57a1 1 0 0 1-.25 1z',
  documents: 'M6 3h8l5 5v13H6zm7 1.5V9h4.5M8.5 13h7M8.5 16.5h7',
  numbers: 'M9 3 7 21M17 3l-2 18M4 8.5h17M3 15.5h17',
  assets: 'M9 18.5V6l11-2.5V16M9 18.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM20 16a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z',
  people:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.5-4 3-6 6.5-6s6 2 6.5 6zM16 5a3 3 0 0 1 0 6M17.5 14.3c2.3.6 3.7 2.5 4 5.7',
  recordings: 'M12 14a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v5a3 3 0 0 0 3 3zM6 11a6 6 0 0 0 12 0M12 17v4',
  webhooks:
    'M12 8.5a3.5 3.5 0 1 0-3-5.3M10 6l-4 8M6.5 13.5a3.5 3.5 0 1 0 3.2 5M9.5 17.5H17M17.5 12.5a3.5 3.5 0 1 1-1 6M13.5 7l3.5 6',
  events: 'M3 12h4l3-8 4 16 3-8h4',
  wallet: 'M3 7h15a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zm0 0 12-4v4M16 13.5h1.5',
  keys: 'M14.5 9.5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM13 13l7 7m-3-3 2.5-2.5',
  live: 'M4 19V9m5 10V5m5 14v-7m5 7V7',
  accounts: 'M4 20V8l8-4 8 4v12M9 20v-6h6v6M8 10h.01M12 10h.01M16 10h.01',
  trunks: 'M3 8h13m0 0-4-4m4 4-4 4M21 16H8m0 0 4-4m-4 4 4 4',
  rates: 'M4 6h16M4 12h10M4 18h7M18 11v9m-3-3 3 3 3-3',
  blocked: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM5.6 5.6l12.8 12.8',
  audit: 'M5 4h14v16H5zM8.5 9h7M8.5 13h7M8.5 17h4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  play: 'M8 5.5v13l11-6.5z',
  pause: 'M8 5.5v13M16 5.5v13',
  plus: 'M12 5v14M5 12h14',
  search: 'M16 10.5a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM14.6 14.6 20 20',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  warn: 'M12 4 2.5 20h19zM12 10v4.5M12 17.3v.2',
  out: 'M14 4H5v16h9M10 12h11m0 0-4-4m4 4-4 4',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  in: 'M18 6 7 17m0 0h8m-8 0V9',
  outward: 'M6 18 17 7m0 0H9m8 0v8',
  internal: 'M4 12h16m0 0-4-4m4 4-4 4M4 12l4-4m-4 4 4 4',
} as const

export type IconName = keyof typeof shapes
const filled = new Set<IconName>(['calls', 'play'])

/** Never alone: the words stand beside it, or the button has a name. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class={filled.has(name) ? 'icon filled' : 'icon'} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={shapes[name]} />
  </svg>
)
