import { deepEqual, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'
import { openNanoNetwork } from '../nano-network.ts'
import { folderFor } from '../service-process.ts'
import { until } from '../until.ts'
import { samplesIn } from './samples.ts'

// The commands of docs/run-in-production.md, in their order, with other folders and this machine instead of a domain.

const root = fileURLToPath(new URL('../../../..', import.meta.url))

test('a service starts with the settings of the guide, is ready, and is backed up', async (t) => {
  const folder = await folderFor(t)
  const port = await freePort()
  const network = await openNanoNetwork(t)
  const page = await readFile(join(root, 'docs', 'run-in-production.md'), 'utf8')
  const [, settings] = /^```\n(NODE_ENV.*?)^```/ms.exec(page)!
  const origin = `http://127.0.0.1:${port}`
  const here = (text: string) =>
    text
      .replaceAll('https://your.site/', `${origin}/`)
      .replace('/var/lib/pennypost', `"${folder}/data"`)
      .replace('http://127.0.0.1:7076', network.rpcUrl)
      .replace('./pennypost.env', `'${folder}/pennypost.env'`)
      .replace('/backup/', `'${folder}'/`)
  await writeFile(join(folder, 'pennypost.env'), `${here(settings!)}PORT=${port}\nNANO_NETWORK=dev\n`)
  const [build, start, check, backup, ...others] = await samplesIn('run-in-production.md')
  deepEqual(others, [])
  // What is built is what runs this test.
  equal(build!.code, 'npm run build\n')
  const shell = (code: string) => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME }
    const child = spawn('bash', ['-euc', here(code)], { cwd: root, env, detached: true })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text
      })
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const printedSoFar = () => printed
    return { child, ended, printedSoFar }
  }
  const service = shell(start!.code)
  t.after(async () => {
    process.kill(-service.child.pid!, 'SIGTERM')
    await service.ended
  })
  await until('the service is ready', () => service.printedSoFar().includes('Pennypost is ready'))
  match(service.printedSoFar(), /\/claim#token=/)
  const asked = shell(check!.code)
  equal(await asked.ended, 0)
  match(asked.printedSoFar(), /"status":"ready"/)
  const saved = shell(backup!.code)
  equal(await saved.ended, 0, saved.printedSoFar())
  const [day] = (await readdir(folder)).filter((name) => /^\d{4}-\d\d-\d\d$/.test(name))
  match(await readFile(join(folder, day!, 'backup.json'), 'utf8'), /contents\.json/)
})
