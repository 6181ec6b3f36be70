#!/usr/bin/env node
// What `npx sauti` starts. It imports nothing of ours before it knows that this Node can run the rest.
const oldest = [22, 19] as const
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) {
  if (process.argv.slice(2).includes('serve')) (await import('./garbage-collection.ts')).startForShortPauses()
  const [{ cacheFolder }, { keepCompiled }] = await Promise.all([
    import('./private-folder.ts'),
    import('./compile-cache.ts'),
  ])
  const folder = cacheFolder(process.env)
  if (folder !== undefined) keepCompiled(folder)
  // `main.ts` and all that it imports in few files, which load faster: `npm run build` makes them.
  await import(new URL('../program/main.js', import.meta.url).href)
} else {
  process.stderr.write(
    `sauti needs Node ${oldest.join('.')} or newer, and this is ${process.version}. ` +
      'Install a newer one (https://nodejs.org), or beside the package: npm install node@24\n',
  )
  process.exitCode = 1
}
