// Prometheus with our alert rules, in which a minute is a second: what takes five minutes to fire takes five seconds here.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/prepare.mjs'
import { createProgram, findProgram, listens } from './program.mjs'

const seconds = { s: 1 / 60, m: 1, h: 60, d: 1_440 }

/** Undefined if it is not installed. */
export function createPrometheus({ folder, port, targets }) {
  const program = findProgram('prometheus')
  if (!program) return undefined
  const source = join(root, 'deploy', 'observability', 'rules')
  for (const name of readdirSync(source)) {
    const text = readFileSync(join(source, name), 'utf8')
    const inSeconds = (count, unit) => `${Math.max(5, Math.ceil(Number(count) * seconds[unit]))}s`
    const quick = text
      .replaceAll(/^(\s*for: )(\d+)([smhd])$/gm, (_, before, count, unit) => before + inSeconds(count, unit))
      .replaceAll(/\[(\d+)([smhd])\]/g, (_, count, unit) => `[${inSeconds(count, unit)}]`)
    writeFileSync(join(folder, `rules-${name}`), quick)
  }
  const config = join(folder, 'prometheus.yml')
  writeFileSync(
    config,
    `global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files: ['${folder}/rules-*.yml']
scrape_configs:
  - job_name: pennypost
    static_configs:
      - targets: [${targets.map((target) => `'127.0.0.1:${target}'`).join(', ')}]
`,
  )
  const data = join(folder, 'prometheus')
  rmSync(data, { recursive: true, force: true })
  const running = createProgram({
    name: 'prometheus',
    logFile: join(folder, 'prometheus.log'),
    command: () => [
      ...[program, `--config.file=${config}`, `--storage.tsdb.path=${data}`],
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    isReady: () => listens(port),
  })
  return {
    ...running,
    /** The names of the alerts that fire now. */
    async firing() {
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`)
      const { data: found } = await reply.json()
      return [...new Set(found.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))]
    },
  }
}
