#!/usr/bin/env node
// What `npx sauti` starts. It imports nothing before it knows that this Node can run the rest.
const oldest = [22, 19] as const
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) await import('./main.ts')
else {
  process.stderr.write(
    `sauti needs Node ${oldest.join('.')} or newer, and this is ${process.version}. ` +
      'Install a newer one (https://nodejs.org), or beside the package: npm install node@24\n',
  )
  process.exitCode = 1
}
