import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = new URL('../../', import.meta.url).pathname

/** The TypeScript files of these folders of the repository, with their paths from its root. */
export const sourceFiles = (folders: readonly string[]): string[] =>
  folders
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`),
    )
    .filter(file => file.endsWith('.ts') && !file.includes('node_modules/') && !file.includes('/dist/'))

export const withoutComments = (source: string) => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

interface Import {
  readonly from: string
  readonly typeOnly: boolean
  /** Loaded when `import()` runs. */
  readonly isLater: boolean
}

/** What a file imports or re-exports, comments aside. */
export const importsOf = (file: string): Import[] => {
  const source = withoutComments(readFileSync(join(root, file), 'utf8'))
  const stated = source.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\s+from\s+)?['"]([^'"]+)['"]/gm)
  const later = source.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g)
  return [
    ...[...stated].map(([, type, from = '']) => ({ from, typeOnly: type !== undefined, isLater: false })),
    ...[...later].map(([, from = '']) => ({ from, typeOnly: false, isLater: true })),
  ]
}

type Graph = Map<string, Set<string>>

/** What each file of a part imports of it, and each folder. A door (`index.ts`) is a node of its own. */
export const graphsOf = (part: string): { readonly ofFiles: Graph; readonly ofFolders: Graph } => {
  const ofFiles: Graph = new Map()
  const ofFolders: Graph = new Map()
  const folderOf = (file: string) => (file.endsWith('/index.ts') ? file : dirname(file))
  for (const file of sourceFiles([part])) {
    const folder = folderOf(file)
    const targets = ofFiles.get(file) ?? new Set()
    const folders = ofFolders.get(folder) ?? new Set()
    ofFiles.set(file, targets)
    ofFolders.set(folder, folders)
    for (const { from } of importsOf(file)) {
      const target = normalize(join(dirname(file), from))
      if (!from.startsWith('.') || !target.startsWith(`${part}/`)) continue
      targets.add(target)
      if (folderOf(target) !== folder) folders.add(folderOf(target))
    }
  }
  return { ofFiles, ofFolders }
}

const reachedFrom = (graph: Graph, start: string): Set<string> => {
  const seen = new Set<string>()
  const open = [...(graph.get(start) ?? [])]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    open.push(...(graph.get(node) ?? []))
  }
  return seen
}

export const circularIn = (graph: Graph): string[] =>
  [...graph.keys()].filter(node => reachedFrom(graph, node).has(node)).sort()

/** Folders by floor: each imports only of floors below. Folders of one circle share their floor. */
const floorsOf = (graph: Graph): string[][] => {
  const reached = new Map([...graph.keys()].map(node => [node, reachedFrom(graph, node)] as const))
  const floors = new Map<string, number>()
  const floorOf = (node: string): number => {
    const known = floors.get(node)
    if (known !== undefined) return known
    const below = [...(reached.get(node) ?? [])].filter(other => reached.get(other)?.has(node) !== true)
    const floor = below.reduce((most, other) => Math.max(most, floorOf(other) + 1), 0)
    floors.set(node, floor)
    return floor
  }
  const lines: string[][] = []
  for (const node of [...graph.keys()].sort()) {
    const floor = floorOf(node)
    lines[floor] = [...(lines[floor] ?? []), node]
  }
  return lines.reverse()
}

/** The folders of a part, floor by floor, without its doors. */
export const figureOf = (part: string): string =>
  floorsOf(graphsOf(part).ofFolders)
    .map(floor => floor.filter(folder => folder !== part && !folder.endsWith('.ts')))
    .filter(floor => floor.length > 0)
    .map(floor => floor.map(folder => folder.replace(`${part}/`, '')).join('  '))
    .join('\n')
