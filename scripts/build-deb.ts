import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

// `npm run build:deb`: dist/sauti_<version>_<architecture>.deb around the binary, by dpkg-deb: unit, user, settings file, man page
// and completions. What runs at installation and removal is in scripts/debian.

const root = fileURLToPath(new URL('../', import.meta.url))
const parts = join(root, 'scripts/debian')
const dist = join(root, 'dist')
const binary = join(dist, `sauti-linux-${process.arch}`)
const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch as string]
if (architecture === undefined) throw new Error(`there is no Debian package for ${process.arch}`)
if (!existsSync(binary) || !process.argv.includes('--reuse-binary')) run('npm', 'run', '-s', 'build:binary')

const { version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  description: string
  license: string
}
/** The builder's name and address: SAUTI_MAINTAINER='Name <address>'. */
const maintainer = process.env.SAUTI_MAINTAINER ?? 'The authors of Sauti <sauti@example.org>'
const tree = join(dist, 'deb')
rmSync(tree, { recursive: true, force: true })
const put = (path: string, content: string | Uint8Array, mode = 0o644) => {
  const file = join(tree, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, mode)
}
mkdirSync(join(tree, 'usr/bin'), { recursive: true })
copyFileSync(binary, join(tree, 'usr/bin/sauti'))
chmodSync(join(tree, 'usr/bin/sauti'), 0o755)
const output = (...args: readonly string[]): string => {
  const env = { ...process.env, XDG_CACHE_HOME: join(dist, 'deb-cache') }
  const { status, stdout, stderr } = spawnSync(binary, args, { encoding: 'utf8', env, maxBuffer: 1 << 24 })
  if (status !== 0) throw new Error(`sauti ${args.join(' ')}: ${stderr}`)
  return stdout
}
// -9 and no name or time in it, as Debian's policy wants it (§12.1), and the same bytes for the same text.
const packed = (text: string) => gzipSync(text, { level: 9 })
put('usr/share/man/man1/sauti.1.gz', packed(output('man')))
put('usr/share/bash-completion/completions/sauti', output('completion', 'bash'))
put('usr/share/zsh/vendor-completions/_sauti', output('completion', 'zsh'))
put('usr/share/fish/vendor_completions.d/sauti.fish', output('completion', 'fish'))
put('usr/lib/systemd/system/sauti.service', readFileSync(join(parts, 'sauti.service')))
put('etc/sauti/sauti.yaml', readFileSync(join(parts, 'sauti.yaml')))
put('usr/share/doc/sauti/THIRD-PARTY-NOTICES.gz', packed(output('licences')))
put('usr/share/doc/sauti/NEWS.gz', packed(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')))
const madeAt = new Date(Number(process.env.SOURCE_DATE_EPOCH ?? Math.floor(Date.now() / 1000)) * 1000)
put(
  'usr/share/doc/sauti/changelog.gz',
  packed(`sauti (${version}) unstable; urgency=medium

  * Version ${version}: what changed is in /usr/share/doc/sauti/NEWS.gz.

 -- ${maintainer}  ${madeAt.toUTCString().replace('GMT', '+0000')}
`),
)
// Node's single executable must stay as it was built: stripping it cuts the program off.
put(
  'usr/share/lintian/overrides/sauti',
  ['embedded-library', 'unstripped-binary-or-object', 'hardening-no-pie', 'maintainer-script-calls-systemctl']
    .map(tag => `sauti: ${tag} *\n`)
    .join(''),
)
put(
  'usr/share/doc/sauti/copyright',
  `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sauti
Comment: The executable carries other programs and libraries. Their licences, and where the source of those under the
 GPL and LGPL is to be had, are in /usr/share/doc/sauti/THIRD-PARTY-NOTICES.gz; sauti licences prints the same.
 The texts of the GPL and LGPL are also in /usr/share/common-licenses/GPL-3 and /usr/share/common-licenses/LGPL-2.1.

Files: *
Copyright: the authors of Sauti
License: ${license}

${readFileSync(join(root, 'LICENSE'), 'utf8')}`,
)
put('DEBIAN/conffiles', '/etc/sauti/sauti.yaml\n')
for (const script of ['postinst', 'prerm', 'postrm']) put(`DEBIAN/${script}`, readFileSync(join(parts, script)), 0o755)
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
put(
  'DEBIAN/control',
  `Package: sauti
Version: ${version}
Section: comm
Priority: optional
Architecture: ${architecture}
Maintainer: ${maintainer}
Depends: adduser, libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6
Recommends: espeak-ng, libopus0
Installed-Size: ${Math.ceil(sizeOf(tree) / 1024)}
Description: programmable voice service in one process
 ${description.replaceAll(/(.{1,76})(\s+|$)/g, '$1\n ').trim()}
`,
)
const archive = join(dist, `sauti_${version}_${architecture}.deb`)
rmSync(archive, { force: true })
run('dpkg-deb', '--root-owner-group', '-Zxz', '-z1', '--build', tree, archive)
rmSync(tree, { recursive: true })
rmSync(join(dist, 'deb-cache'), { recursive: true, force: true })
process.stdout.write(`${archive.slice(root.length)}: ${(statSync(archive).size / 1e6).toFixed(0)} MB\n`)

function run(command: string, ...args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (error !== undefined && 'code' in error && error.code === 'ENOENT')
    throw new Error(`${command} is missing: apt-get install dpkg-dev`)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}
