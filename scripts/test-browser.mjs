// npm run test:browser             every journey and every page, in Debian's Chromium
// npm run test:browser -- pages    the tests whose file name contains "pages"
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, prepare, root } from './prepare.mjs'

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(chromium) && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  console.log('Installing Chromium from Debian…')
  spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium'], { stdio: 'inherit' })
}
if (!existsSync(chromium)) {
  console.log(`Skipped: there is no browser at ${chromium}. Install Debian's chromium, or set CHROMIUM.`)
  process.exit(0)
}
await prepare()
const filters = process.argv.slice(2)
const files = filesBelow(join(root, 'site', 'test'))
  .filter((file) => file.endsWith('.test.mjs'))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
// One after the other: each has a service, a database and a browser.
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
})
process.exit(status ?? 1)
