// npm run test:node                 npm test on the current LTS line of Node
// NODE_LINE=24 npm run test:node    on another line
// The binary comes from the npm registry, into a cache folder: nothing of it is in package.json or the lock file.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'

const line = process.env.NODE_LINE ?? '26'
await prepare()
const name = `node-${process.platform}-${process.arch}`
const folder = join(root, 'node_modules', '.cache', `pennypost-node-${line}`)
const binary = join(folder, 'node_modules', name, 'bin', 'node')
if (!existsSync(binary)) {
  console.log(`Installing Node ${line}…`)
  mkdirSync(folder, { recursive: true })
  // Without its own package.json, npm would install into the project above.
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const options = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
  const { status } = spawnSync('npm', ['install', ...options, `${name}@${line}`], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
console.log(`Testing on Node ${stdout.trim()}`)
const tests = [join(root, 'scripts', 'test.mjs'), ...process.argv.slice(2)]
process.exit(spawnSync(binary, tests, { stdio: 'inherit' }).status ?? 1)
