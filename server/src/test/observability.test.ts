import { deepEqual, equal, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { expressionsIn, readDashboard, repository, textsOf } from './observability.fixture.ts'
import { createWorld } from './world.ts'

const run = promisify(execFile)
const operationsPage = () => readFile(join(repository, 'docs', 'operations.md'), 'utf8')

const unique = (names: Iterable<string>): string[] => [...new Set(names)].sort()
const alertsIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => [...text.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name!))

/** Names as they are declared: the series of a histogram have endings. */
const metricsIn = (texts: readonly string[]): string[] =>
  unique(
    texts.flatMap((text) =>
      [...text.matchAll(/\bpennypost_[a-z0-9_]+/g)].map(([name]) => name!.replace(/_(bucket|sum|count)$/, '')),
    ),
  )

test('rules, their tests, the dashboard and the documentation name metrics that exist, and all of ours', async (t) => {
  const world = await createWorld(t)
  const { body } = await world.server.inject({ url: '/metrics' })
  const shown = [...body.matchAll(/^# TYPE (pennypost_\w+) /gm)].map(([, name]) => name!)
  equal(new Set(shown).size, shown.length, 'a metric is declared twice')
  const isShown = (name: string) => shown.includes(name)
  for (const part of ['rules', 'rule-tests', 'grafana']) {
    const named = metricsIn(await textsOf(part))
    ok(named.length > 10, part)
    deepEqual(
      named.filter((name) => !isShown(name)),
      [],
      part,
    )
  }
  const operations = await operationsPage()
  const documented = metricsIn([operations])
  deepEqual(
    documented.filter((name) => !isShown(name)),
    [],
  )
  // Those of Node and the process come with the library.
  const ours = shown.filter((name) => !/^pennypost_(nodejs|process)_/.test(name))
  deepEqual(
    ours.filter((name) => !documented.includes(name)),
    [],
    'not in docs/operations.md',
  )
})

test('every alert has a test in which it fires, one in which it does not, and a line that says what to do', async () => {
  const alerts = alertsIn(await textsOf('rules'))
  const tests = (await textsOf('rule-tests')).join('\n')
  const operations = await operationsPage()
  equal(new Set(alerts).size, alerts.length)
  for (const alert of alerts) {
    ok(tests.includes(`- name: ${alert} fires\n`), alert)
    ok(tests.includes(`- name: ${alert} is quiet`), alert)
    ok(operations.includes(`| \`${alert}\` |`), `${alert} is not in docs/operations.md`)
  }
})

test('every metric with an alert is on the dashboard', async () => {
  const shown = metricsIn(expressionsIn(await readDashboard()))
  const expressions = (await textsOf('rules')).join('\n').replaceAll(/^ +(summary|description): .*$/gm, '')
  deepEqual(
    metricsIn([expressions]).filter((name) => !shown.includes(name)),
    [],
  )
})

test('the dashboard is one that Grafana can import', async () => {
  const { panels, templating } = await readDashboard()
  deepEqual(
    templating.list.map(({ name }) => name),
    ['datasource', 'instance'],
  )
  equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  for (const { type, title, targets = [] } of panels) {
    if (type === 'row') continue
    ok(targets.length > 0, title)
    for (const { expr, datasource } of targets) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana replaces it
      equal(datasource.uid, '${datasource}', title)
      ok(expr.includes('pennypost_'), title)
    }
  }
})

test('every line of the log has its instance and, within a trace, its id', async () => {
  const program = `
    import { createLog } from ${JSON.stringify(new URL('../platform/log.js', import.meta.url).href)}
    let current
    const log = createLog('info', { fields: { instance: 'web-1', role: 'web' }, traceId: () => current })
    log.info('one')
    current = 'abc'
    log.warn({ a: 1 }, 'two')`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  deepEqual(
    lines.map(({ instance, role, traceId, msg }) => [instance, role, traceId, msg]),
    [
      ['web-1', 'web', undefined, 'one'],
      ['web-1', 'web', 'abc', 'two'],
    ],
  )
})
