import { equal, ok } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { commandTable } from './commands.ts'
import { referencePage } from './frame/reference.ts'

const path = new URL('../../docs/cli.md', import.meta.url)
const start = '<!-- Made of the table of commands: UPDATE_SNAPSHOTS=1 npm test -- cli/dist/reference -->\n\n'

test('docs/cli.md describes every command as the program does', async () => {
  const page = await readFile(path, 'utf8')
  const at = page.indexOf(start)
  ok(at > 0)
  const expected = page.slice(0, at) + start + referencePage(commandTable)
  if (process.env.UPDATE_SNAPSHOTS) await writeFile(path, expected)
  else equal(page, expected)
})

test('names are unique, every group is explained, and every summary is a line without a full stop', () => {
  const { commands, groups } = commandTable
  equal(new Set(commands.map(({ name }) => name)).size, commands.length)
  for (const { name, summary, options, positionals } of commands) {
    const [first, second] = name.split(' ')
    ok(second === undefined || Object.hasOwn(groups, first!), name)
    for (const text of [summary, ...[...Object.values(options), ...positionals].map((each) => each.summary)])
      ok(text.length > 0 && !/\n|\.$/.test(text), `${name}: ${text}`)
    // A secret must never be the value of an option.
    for (const option of Object.keys(options))
      ok(!/^(key|seed|secret|password|token|code)$/.test(option), `${name} --${option}`)
  }
})
