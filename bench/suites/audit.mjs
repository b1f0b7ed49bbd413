import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '../../server/dist/platform/database/migrate.js'
import { createLog } from '../../server/dist/platform/log.js'
import { migrationsFolder } from '../../server/dist/service.js'
import { loadSales } from '../audit-data.mjs'
import { withClient } from '../postgres.mjs'

// For a quick run: `BENCH_SALES=10000 npm run bench -- audit`.
const sales = Number(process.env.BENCH_SALES ?? 1_000_000)
const newSales = 1_000
const maxFirstMinutes = 15
const maxNextSeconds = 60
const name = 'pennypost_bench_audit'

export default {
  name: 'audit',
  title: 'Audit',
  // A separate database: the other suites load rows that are not meant for the books.
  async trials({ databaseUrl, startServer }) {
    // Not URL: the address of an embedded database has no host.
    const url = databaseUrl.replace(/\/[^/?]+(?=\?|$)/, `/${name}`)
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-bench-audit-'))
    const node = await startServer('servers/settled-node.mjs')
    await withClient(databaseUrl, (client) => client.query(`CREATE DATABASE ${name}`))
    const audit = (...args) => runAudit({ DATABASE_URL: url, DATA_DIR: folder, NANO_RPC_URL: node.origin }, args)
    try {
      await migrate(url, migrationsFolder, createLog('error'))
      await loadSales(url, 1, sales)
      const first = await audit()
      await loadSales(url, sales + 1, sales + newSales)
      const next = await audit()
      return [
        {
          label: `the first audit of ${sales} sales`,
          ours: `${first.seconds.toFixed(0)} s, ${first.megabytes} MB`,
          goal: `under ${maxFirstMinutes} minutes`,
          isMet: first.seconds < maxFirstMinutes * 60,
        },
        {
          label: `the next audit, with ${newSales} new sales`,
          ours: `${next.seconds.toFixed(1)} s, ${next.megabytes} MB`,
          goal: `under ${maxNextSeconds} s`,
          isMet: next.seconds < maxNextSeconds,
        },
      ]
    } finally {
      await withClient(databaseUrl, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Runs the command as an operator would. Returns how long it took and how much memory its process used at most. */
async function runAudit(settings, args) {
  const startedAt = performance.now()
  const program = fileURLToPath(new URL('../../cli/bin/pennypost.mjs', import.meta.url))
  const child = spawn('/usr/bin/time', ['-f', 'kilobytes %M', process.execPath, program, 'audit', ...args], {
    env: { PATH: process.env.PATH, NANO_NETWORK: 'dev', NANO_SEED: '11'.repeat(32), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`The audit has findings: ${output.slice(0, 2_000)}`)
  console.log(output.trim())
  return {
    seconds: (performance.now() - startedAt) / 1000,
    megabytes: Math.round(Number(/kilobytes (\d+)/.exec(output)[1]) / 1024),
  }
}
