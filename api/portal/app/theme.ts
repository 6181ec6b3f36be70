import { signal } from '@preact/signals'

type Theme = 'system' | 'light' | 'dark'
const stored = localStorage.getItem('theme')
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

/** For a choice: `start.ts` applies the stored theme before any of this is loaded. */
export function applyTheme(chosen: Theme): void {
  theme.value = chosen
  localStorage.setItem('theme', chosen)
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}

const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(prefersDark.matches)
prefersDark.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches
})

export const isDark = (): boolean => theme.value === 'dark' || (theme.value === 'system' && systemIsDark.value)
