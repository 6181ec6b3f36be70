/**
 * Another module of ours as the program of a thread or a process: `ownModule('./media-thread.ts', import.meta.url)`. It lies
 * in the same folder whether the sources run or what the package was built of them, and there it ends in `.js`.
 */
export const ownModule = (file: `./${string}.ts`, importer: string): URL =>
  new URL(importer.endsWith('.ts') ? file : file.replace(/\.ts$/, '.js'), importer)
