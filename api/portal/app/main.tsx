import { render } from 'preact'
import { App, started } from './app.tsx'
import { begun } from './texts/index.ts'

const root = document.getElementById('app')
/** Who is signed in was asked before any of this was loaded. Where the answer is not there so soon, the page says that it waits. */
const patienceMs = 50

if (root !== null) {
  const late = new Promise(resolve => setTimeout(resolve, patienceMs))
  Promise.race([started.catch(() => {}), late])
    .then(() => begun)
    .then(() => render(<App />, root))
}
