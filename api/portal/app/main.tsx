import { render } from 'preact'
import { App } from './app.tsx'
import { language } from './texts/index.ts'
import { applyTheme } from './theme.ts'

document.documentElement.lang = language.value
applyTheme()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
