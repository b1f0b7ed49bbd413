import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { samplesIn } from '../docs/samples.ts'
import { freePort } from '../free-port.ts'
import { folderFor, register } from '../service-process.ts'
import { until } from '../until.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../..', import.meta.url))
// Nothing but Node and the tools that it is unpacked with.
const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }

/** Packs what is built, as `npm run release` does, and unpacks it in a folder that has nothing else. */
async function unpacked(t: TestContext) {
  const folder = await folderFor(t)
  await run(process.execPath, [join(root, 'scripts/release.mjs'), '--built', `--folder=${folder}`], { env })
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tar.gz'))
  match(archive, new RegExp(`^pennypost-\\d+\\.\\d+\\.\\d+-${process.platform}-${process.arch}\\.tar\\.gz$`))
  const sum = createHash('sha256')
    .update(await readFile(join(folder, archive)))
    .digest('hex')
  equal(await readFile(join(folder, `${archive}.sha256`), 'utf8'), `${sum}  ${archive}\n`)
  // As docs/deploy.md says.
  const [sample, ...others] = await samplesIn('deploy.md')
  deepEqual(others, [])
  const { stdout } = await run('sh', ['-euc', sample!.code], { cwd: folder, env })
  match(stdout, /^pennypost-.*: OK\npennypost \d/)
  const installed = join(folder, 'pennypost')
  return { folder, installed, program: join(installed, 'bin', 'pennypost') }
}

async function serves(t: TestContext, program: string, settings: Record<string, string>) {
  const port = String(await freePort())
  const child = spawn(program, ['serve'], { cwd: '/', env: { ...env, PORT: port, LOG_LEVEL: 'warn', ...settings } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = once(child, 'exit')
  t.after(() => child.kill('SIGKILL'))
  await until('the service is ready', () => output.includes('Pennypost is ready') || child.exitCode !== null)
  equal(child.exitCode, null, output)
  return { origin: `http://127.0.0.1:${port}`, child, ended }
}

test('the archive of a release runs in an empty folder, with Node and nothing else', {
  timeout: 600_000,
}, async (t) => {
  const { folder, installed, program } = await unpacked(t)
  const { packages } = JSON.parse(await readFile(join(installed, 'release.json'), 'utf8')) as {
    packages: { name: string }[]
  }
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const tools = [
    ...Object.keys(devDependencies),
    'fast-check',
    'playwright-core',
    's3rver',
    '@foundry-rs/anvil-linux-amd64',
  ]
  const names = packages.map(({ name }) => name)
  // zod is a tool of the scripts, too.
  deepEqual(
    tools.filter((name) => names.includes(name)),
    ['zod'],
  )
  const files = await readdir(installed, { recursive: true })
  deepEqual(
    files.filter((name) => /^(cli|contract|mcp|nano|sdk|server|site)\/.*\.(test|fixture)\./.test(name)),
    [],
  )
  ok(['LICENSE', 'NOTICE', 'deploy/systemd/pennypost.service', 'docs/deploy.md'].every((name) => files.includes(name)))

  const settings = { DATA_DIR: join(folder, 'data') }
  const { origin, child, ended } = await serves(t, program, settings)
  for (const [path, expected] of [
    ['/healthz', /"status":"ok"/],
    ['/readyz', /"status":"ready"/],
    ['/', /<html/],
    ['/docs/settings', /DATABASE_URL/],
    ['/openapi.json', /"openapi":"3\.1/],
    ['/api/posts', /"data":\[/],
  ] as const) {
    const reply = await fetch(origin + path)
    equal(reply.status, 200, path)
    match(await reply.text(), expected, path)
  }
  // Email, threads that render, and the database: what a page alone does not need.
  const { key } = await register(origin)
  const post = { title: 'One', freeContentMarkdown: '`code` and $x^2$', language: 'en', category: 'technology' }
  const saved = await fetch(`${origin}/api/v1/posts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(post),
  })
  equal(saved.status, 201, await saved.text())
  const asks = (...args: string[]) => run(program, args, { env: { ...env, ...settings, BASE_URL: origin } })
  const doctor = JSON.parse((await asks('doctor', '--json')).stdout)
  deepEqual(
    doctor.findings.filter(({ state }: { state: string }) => state === 'wrong'),
    [],
  )
  match((await asks('backup', join(folder, 'backup'))).stdout, /and read them back/)
  child.kill('SIGTERM')
  deepEqual(await ended, [0, null])
})
