import { deepEqual, equal, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { contract } from '@pennypost/contract/contract'
import { credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { transform } from 'esbuild'
import { operationSamples } from '../../platform/operations/operation-article.ts'
import { freePort } from '../free-port.ts'
import { resolvable } from '../run-program.ts'
import { folderFor } from '../service-process.ts'
import { createWorld } from '../world.ts'
import { hasPython } from './samples.ts'

// The samples that the reference makes from the contract. One process for each language runs all of them.

const operations = Object.entries<Endpoint>(contract)

const samplesOf = (language: string, origin: string, chosen = operations): [name: string, code: string][] =>
  chosen.map(([name, endpoint]) => {
    const { code } = operationSamples(name, endpoint, origin).find((sample) => sample.language === language)!
    return [name, String(code)]
  })

const run = (program: string, args: readonly string[], input = ''): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, NODE_NO_WARNINGS: '1' }
    const child = execFile(program, args, { env, timeout: 120_000, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stderr}${stdout}`.slice(0, 4000))) : resolve(stdout),
    )
    child.stdin!.end(input)
  })

const origin = 'https://pennypost.test'

test('every sample in curl is a command that a shell can read', async () => {
  await run(
    'bash',
    ['-n'],
    samplesOf('sh', origin)
      .map(([, code]) => code)
      .join('\n\n'),
  )
})

test('every sample in JavaScript compiles', async () => {
  const failed: string[] = []
  for (const [name, code] of samplesOf('js', origin))
    await transform(code, { loader: 'js', format: 'esm' }).catch((error) => failed.push(`${name}: ${error}`))
  deepEqual(failed, [])
})

test('every sample in Python compiles', { skip: !hasPython && 'python3 is not installed' }, async () => {
  const program = 'import json, sys\nfor name, code in json.load(sys.stdin): compile(code, name, "exec")'
  await run('python3', ['-c', program], JSON.stringify(samplesOf('python', origin)))
})

test('a value is written the same in every language', () => {
  const [, js] = samplesOf('js', origin).find(([name]) => name === 'createPost')!
  const [, python] = samplesOf('python', origin).find(([name]) => name === 'createPost')!
  ok(js.includes('enablePaywall: true') && python.includes("'enablePaywall': True"))
  ok(js.includes('{ token: process.env.PUBLISHING_KEY }') && python.includes("os.environ['PUBLISHING_KEY']"))
})

test('what anyone can read is read by all three samples, with the same result', async (t) => {
  const port = await freePort()
  const here = `http://127.0.0.1:${port}`
  const world = await createWorld(t, { settings: { BASE_URL: here } })
  await world.server.listen({ host: '127.0.0.1', port })
  const open = operations.filter(
    ([, endpoint]) =>
      endpoint.method === 'GET' &&
      !endpoint.path.includes('{') &&
      credentialsOf(endpoint).every((kind) => kind === 'none'),
  )
  ok(open.length > 10, `${open.length}`)

  const commands = samplesOf('sh', here, open).map(
    ([name, code]) => `${code} -s -o /dev/null -w '${name} %{http_code}\\n'`,
  )
  const byCurl = await run('bash', ['-eu'], commands.join('\n'))
  const statuses = new Map(
    byCurl
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  )
  equal(statuses.size, open.length)
  for (const [name, status] of statuses) ok(/^(2..|503)$/.test(status), `${name} ${status}`)

  const folder = await folderFor(t)
  await mkdir(join(folder, 'samples'))
  for (const [name, code] of samplesOf('js', here, open))
    await writeFile(join(folder, 'samples', `${name}.mjs`), resolvable(code))
  const driver = `const { log } = console
for (const name of ${JSON.stringify(open.map(([name]) => name))}) {
  console.log = (status) => log(name, status)
  await import(${JSON.stringify(join(folder, 'samples'))} + '/' + name + '.mjs')
}`
  const byNode = await run(process.execPath, ['--input-type=module', '-e', driver])
  deepEqual(byNode.trim().split('\n').sort(), byCurl.trim().split('\n').sort())

  if (!hasPython) return t.diagnostic('python3 is not installed')
  const program = `import json, sys
for name, code in json.load(sys.stdin):
    exec(code, {'print': lambda status, *rest: sys.stdout.write(f'{name} {status}\\n')})`
  const byPython = await run('python3', ['-c', program], JSON.stringify(samplesOf('python', here, open)))
  deepEqual(byPython.trim().split('\n').sort(), byCurl.trim().split('\n').sort())
})
