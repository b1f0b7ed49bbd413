// npm run test:package   packs the SDK, installs it in an empty folder, and compiles and runs a program with it there; then the
//                        same with the program for the command line
import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { filesBelow, prepare, root } from './prepare.mjs'

const fiveLines = `import { Pennypost } from '@pennypost/sdk'
declare const process: { env: Record<string, string> }
const pennypost = new Pennypost({ baseUrl: process.env.BASE_URL! })
for await (const post of pennypost.posts.list({ per_page: 1, sort: 'newest' })) console.log(post.title)
export {}
`

const checks = `import { type NanoSigner, Pennypost, PennypostError, type UsdcSigner } from '@pennypost/sdk'
import { nanoSigner } from '@pennypost/sdk/nano'
import { fileStore } from '@pennypost/sdk/node'

const pennypost = new Pennypost({ baseUrl: 'http://localhost:1', retry: { attempts: 1 } })
export async function examples(usdc: UsdcSigner) {
  const { body } = await pennypost.operations.listPublicPosts({ query: { per_page: 2, has_attachments: true } })
  const total: number = body.total
  const reply = await pennypost.operations.getAccess({ params: { postId: 'x' } })
  if (reply.status === 402) reply.body.accepts satisfies unknown[]
  else reply.body.contentMarkdown satisfies string
  for await (const { status } of pennypost.purchases.watch('x')) status satisfies 'pending' | string
  // @ts-expect-error a number is meant
  pennypost.posts.list({ per_page: '2' })
  // @ts-expect-error the id is missing
  await pennypost.operations.getPost({ params: {} })
  // @ts-expect-error no such order
  pennypost.posts.list({ sort: 'cheapest' })
  const nano: NanoSigner = nanoSigner({ seed: '00'.repeat(32), rpcUrl: 'http://localhost:1' })
  const spendingLimit = { perPayment: { USDC: '0.50' }, total: { USDC: '5' }, periodSeconds: 86_400 }
  return new Pennypost({ baseUrl: 'http://localhost:1', signers: { usdc, nano }, spendingLimit, store: fileStore('x') }) && total
}
const failure = await pennypost.posts.get('x').catch((error: unknown) => error)
if (!(failure instanceof PennypostError) || failure.code !== 'network-error') throw failure
if (!nanoSigner({ seed: '00'.repeat(32) }).address.startsWith('nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7'))
  throw new Error('the address of the zero seed is wrong')
`

await prepare({ checkTypes: true })
const folder = mkdtempSync(join(tmpdir(), 'pennypost-package-'))
const server = createServer(replyWithPosts)
try {
  const installed = await install('sdk')
  checkContents(installed)
  await compile('nodenext', { module: 'nodenext', moduleResolution: 'nodenext' })
  await compile('bundler', { module: 'esnext', moduleResolution: 'bundler' })
  await compileReadme()
  await run()
  await bundleForBrowsers()
  await runCommandLine()
  console.log('test:package: clean')
} finally {
  server.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Packs with npm, and unpacks where npm would: the packages have no dependencies, so nothing else is needed. */
async function install(workspace) {
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  // The scripts of the package would build it once more.
  await command([...npm, 'pack', '--ignore-scripts', '--pack-destination', folder], join(root, workspace))
  const { name, version } = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'))
  await command(['tar', '-xzf', `${name.replace('@', '').replace('/', '-')}-${version}.tgz`], folder)
  const installed = join(folder, 'node_modules', name)
  mkdirSync(join(installed, '..'), { recursive: true })
  cpSync(join(folder, 'package'), installed, { recursive: true })
  rmSync(join(folder, 'package'), { recursive: true })
  return installed
}

/** The packed program alone, without anything of this repository beside it. */
async function runCommandLine() {
  const installed = await install('cli')
  const { dependencies, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  equal(dependencies, undefined)
  const elsewhere = mkdtempSync(join(tmpdir(), 'pennypost-cli-'))
  try {
    cpSync(installed, join(elsewhere, 'pennypost'), { recursive: true })
    const program = join(elsewhere, 'pennypost', bin.pennypost)
    const env = { PENNYPOST_URL: `http://127.0.0.1:${server.address().port}`, PENNYPOST_CONFIG_DIR: elsewhere }
    const run = (...args) => command([process.execPath, program, ...args], elsewhere, env)
    ok((await run('--version')).startsWith('pennypost '))
    for (const args of [['help'], ['help', 'exit-codes'], ['completion', 'zsh'], ['post', 'new', 'a.md']])
      await run(...args)
    // Parts that are loaded when they are needed.
    const failure = await run('import', 'auto', 'nothing').catch((error) => error.message)
    ok(/not signed in/.test(failure), failure)
    const bytes = filesBelow(join(elsewhere, 'pennypost')).reduce((sum, file) => sum + readFileSync(file).length, 0)
    console.log(`test:package: the program for the command line runs alone, ${Math.ceil(bytes / 1024)} KiB`)
  } finally {
    rmSync(elsewhere, { recursive: true, force: true })
  }
}

function checkContents(installed) {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  deepEqual([dependencies, peerDependencies], [undefined, undefined])
  const files = filesBelow(installed).map((file) => file.slice(installed.length + 1))
  for (const name of ['README.md', 'LICENSE', 'bundle/index.js', 'dist/index.d.ts']) ok(files.includes(name), name)
  deepEqual(
    files.filter((name) => /\.test\.|generate\/|(?<!\.d)\.ts$|tsbuildinfo/.test(name)),
    [],
  )
  for (const name of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
    const text = readFileSync(join(installed, name), 'utf8')
    ok(!/from ['"](zod|@pennypost\/|@noble\/)/.test(text), `${name} imports what is not in the package`)
  }
}

/** Checks the types of a program, its mistakes included, as strictly as the compiler can. */
async function compile(name, settings) {
  const types = { ...settings, target: 'es2022', strict: true, exactOptionalPropertyTypes: true, types: [] }
  const compilerOptions = { ...types, skipLibCheck: false, outDir: 'out' }
  const project = join(folder, `${name}.json`)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'five-lines.ts'), fiveLines)
  writeFileSync(join(folder, 'checks.ts'), checks)
  for (const file of ['checks.ts', 'five-lines.ts']) {
    writeFileSync(project, JSON.stringify({ compilerOptions, files: [file] }))
    const startedAt = performance.now()
    await command([process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', project], folder)
    console.log(
      `test:package: ${file} compiled under ${name} in ${((performance.now() - startedAt) / 1000).toFixed(2)} s`,
    )
  }
}

/** The programs of the README, with the types of Node and viem. */
async function compileReadme() {
  const page = readFileSync(join(root, 'sdk', 'README.md'), 'utf8')
  const files = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code], index) => {
    writeFileSync(join(folder, `readme-${index + 1}.ts`), code)
    return `readme-${index + 1}.ts`
  })
  for (const name of ['viem', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const settings = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'readme.json'), JSON.stringify({ compilerOptions: settings, files }))
  await command([process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', 'readme.json'], folder)
  console.log(`test:package: ${files.length} programs of the README compiled`)
}

async function run() {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${server.address().port}`
  const printed = await command([process.execPath, join(folder, 'out', 'five-lines.js')], folder, { BASE_URL: baseUrl })
  equal(printed, 'On compilers\nOn linkers\n')
  await command([process.execPath, join(folder, 'out', 'checks.js')], folder, { BASE_URL: baseUrl })
}

/** A bundler for browsers finds everything, and nothing of Node. */
async function bundleForBrowsers() {
  const entry = `export * from '@pennypost/sdk'\nexport * from '@pennypost/sdk/nano'\n`
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: folder },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    minify: true,
    write: false,
    logLevel: 'warning',
  })
  console.log(`test:package: ${Math.ceil(outputFiles[0].contents.length / 1024)} KiB minified for browsers, with Nano`)
}

function replyWithPosts(request, response) {
  const { searchParams } = new URL(request.url, 'http://localhost')
  const titles = { 1: 'On compilers', 2: 'On linkers' }
  const page = Number(searchParams.get('page') ?? 1)
  equal(searchParams.get('per_page'), '1')
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ data: [{ title: titles[page] }], total: 2, page, perPage: 1 }))
}

function command([program, ...args], cwd, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    let complaints = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      complaints += text
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(printed)
      else reject(new Error(`${program} ${args.join(' ')} failed (${code}).\n${printed}${complaints}`))
    })
  })
}
