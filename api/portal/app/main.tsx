import { render } from 'preact'
import { App } from './app.tsx'
import { language } from './texts/index.ts'

document.documentElement.lang = language.value
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
