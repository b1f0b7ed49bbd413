import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { expressionsIn, filesIn, readDashboard } from './observability.fixture.ts'

const run = promisify(execFile)

test('promtool accepts the rules, and every alert fires when it should and not otherwise', async (t) => {
  const isThere = await run('promtool', ['--version']).then(
    () => true,
    () => false,
  )
  if (!isThere) return t.skip('there is no promtool (Debian: prometheus)')
  await run('promtool', ['check', 'rules', ...(await filesIn('rules'))])
  await run('promtool', ['test', 'rules', ...(await filesIn('rule-tests'))])
  // The expressions of the dashboard, as rules, with what Grafana would put in. JSON is YAML too.
  const made = await mkdtemp(join(tmpdir(), 'pennypost-dashboard-'))
  t.after(() => rm(made, { recursive: true, force: true }))
  const rules = expressionsIn(await readDashboard()).map((expr, index) => ({
    record: `expression_${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  }))
  await writeFile(join(made, 'rules.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  await run('promtool', ['check', 'rules', join(made, 'rules.yml')])
})
