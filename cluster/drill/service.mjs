// The service of a drill, its commands, and the key of its backups.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProgram, repliesWith } from '../program.mjs'

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const minutes = 60_000

export function createService({ folder, port, settings }) {
  const origin = `http://127.0.0.1:${port}`
  const program = createProgram({
    name: 'service',
    logFile: join(folder, 'service.log'),
    command: () => [process.execPath, path('server/bundle/main.js')],
    env: () => ({ ...settings, PORT: String(port), BASE_URL: origin }),
    isReady: () => repliesWith(`${origin}/readyz`),
  })
  return { ...program, origin }
}

/** Runs a command as an operator would. Returns what it printed. */
export const runPennypost = (settings, ...args) =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, ...settings }
    const options = { env, timeout: 5 * minutes, maxBuffer: 64 * 1024 * 1024 }
    execFile(process.execPath, [path('cli/bin/pennypost.mjs'), ...args], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`pennypost ${args[0]} failed: ${stdout}${stderr}`))
      else resolve(stdout)
    })
  })

/** Makes a key, as `age-keygen` does. */
export async function createKey(file) {
  const age = createRequire(path('server/package.json')).resolve('age-encryption')
  const { generateX25519Identity, identityToRecipient } = await import(age)
  const identity = await generateX25519Identity()
  writeFileSync(file, `${identity}\n`, { mode: 0o600 })
  return { file, recipient: await identityToRecipient(identity) }
}

/** Looks through the bytes of a bucket for what must not be there. Returns how many files have some of it. */
export async function readBucket(folder, dataDir) {
  const secrets = ['nano-seed', 'service-secret'].map((name) => readFileSync(join(dataDir, name), 'utf8').trim())
  const marks = [...secrets, '@example.com', 'the-secret-part', 'CREATE TABLE']
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.filter((entry) => {
    const bytes = readFileSync(join(entry.parentPath, entry.name))
    return marks.some((mark) => bytes.includes(mark))
  }).length
}
