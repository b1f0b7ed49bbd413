// npm run check               everything that a change must pass, also in CI: format, lint, types, unused code, tests
// npm run check -- --fix      fixes format and lint where possible
// npm run check -- --static   everything except the tests
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'

await prepare({ checkTypes: true })

const bin = (name) => join(root, 'node_modules', '.bin', name)
const steps = [
  ['format and lint', bin('biome'), process.argv.includes('--fix') ? ['check', '--write', '.'] : ['check', '.']],
  ['generated code', process.execPath, [join(root, 'scripts', 'generate-sdk.mjs'), '--check']],
  ['unused code', bin('knip'), []],
  ...(process.argv.includes('--static') ? [] : [['tests', process.execPath, [join(root, 'scripts', 'test.mjs')]]]),
]
for (const [what, command, args] of steps) {
  console.log(`check: ${what}`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
console.log('check: clean')
