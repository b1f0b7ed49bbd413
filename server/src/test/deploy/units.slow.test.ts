import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import { allSettings } from '../../config.ts'
import { wantedConnections } from '../../platform/database/connection-budget.ts'

const folder = fileURLToPath(new URL('../../../../deploy', import.meta.url))
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const units = readdirSync(join(folder, 'systemd')).filter((name) => /\.(service|timer)$/.test(name))

/** Of ten: what an attacker who takes over the process can do, as systemd judges it. */
const maxExposure = 2

const analyze = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  return { status, text: `${stdout}${stderr}`.trim() }
}
const isThere = spawnSync('systemd-analyze', ['--version']).status === 0

test('systemd accepts every unit, and finds them little exposed', {
  skip: !isThere && 'there is no systemd-analyze',
}, (t) => {
  ok(units.length >= 6)
  for (const unit of units) {
    const path = join(folder, 'systemd', unit)
    deepEqual(analyze('verify', '--man=no', path), { status: 0, text: '' }, unit)
    if (unit.endsWith('.timer')) continue
    const { text } = analyze('security', '--offline=true', '--no-pager', path)
    const exposure = Number(/Overall exposure level for .*: ([\d.]+)/.exec(text)?.[1])
    t.diagnostic(`${unit}: ${exposure}`)
    ok(exposure <= maxExposure, `${unit}: ${text.split('\n').at(-1)}`)
  }
})

// The second one ends like this.
const ofGlibc = ['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_']

// A setting can be read from a file: SMTP_URL_FILE.
const known = (name: string) =>
  name in allSettings || name.replace(/_FILE$/, '') in allSettings || ofGlibc.includes(name)

test('every setting in units, env files, compose file and manifest exists', () => {
  const inUnits = units
    .flatMap((unit) => [...read(`systemd/${unit}`).matchAll(/^(?:Environment=|ExecStart=\/usr\/bin\/env )(.*)$/gm)])
    .flatMap(namesIn)
  const files = ['systemd/pennypost.env.example', 'systemd/signer.env.example', 'compose.env.example']
  const inFiles = files.flatMap((file) => [...read(file).matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name!))
  const { services } = parse(read('compose.yaml'), { merge: true }) as Compose
  const ours = Object.values(services).filter(({ image }) => image === 'pennypost')
  equal(ours.length, 4)
  const inCompose = ours.flatMap(({ environment }) => Object.keys(environment ?? {}))
  const inManifest = manifest().flatMap(({ kind, data, spec }) => [
    ...(kind === 'ConfigMap' ? Object.keys(data!) : []),
    ...(spec?.template?.spec.containers ?? []).flatMap(({ env }) => env.map(({ name }) => name)),
  ])
  for (const names of [inUnits, inFiles, inCompose, inManifest]) {
    ok(names.length > 3)
    deepEqual(
      names.filter((name) => !known(name)),
      [],
    )
  }
})

// systemd: what EnvironmentFile= has wins over Environment=, in whatever order they are.
test('no file of settings changes the role of a unit, or the port in its name', () => {
  for (const [unit, role] of [
    ['pennypost-web@.service', 'ROLE=web PORT=%i'],
    ['pennypost-worker@.service', 'ROLE=worker PORT=%i'],
    ['pennypost-signer.service', 'ROLE=signer'],
  ] as const) {
    const text = read(`systemd/${unit}`)
    ok(text.includes(`\nExecStart=/usr/bin/env ${role} node `), unit)
    ok(!/^Environment=.*\bROLE=/m.test(text), unit)
  }
})

test('a worker of the compose file can write where its backups go', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as Compose
  const [, place] = /^BACKUP_URL=(.*)$/m.exec(read('compose.env.example'))!
  ok(services.worker!.volumes!.includes(`backups:${place}`))
  ok(services.worker!.volumes!.includes('data:/var/lib/pennypost'))
  // A new volume has the owner of the folder in the image.
  match(read('Containerfile'), new RegExp(`install -d .*-o pennypost .* ${place} `))
})

const namesIn = ([, text]: RegExpMatchArray): string[] => [...text!.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name!)

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
}

interface ComposeService {
  readonly image?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> }
    readonly template?: { readonly metadata: { readonly labels: Readonly<Record<string, string>> }; readonly spec: Pod }
  }
}

interface Pod {
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly terminationGracePeriodSeconds: number
  readonly volumes: readonly { readonly name: string }[]
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value: string }[]
    readonly securityContext: Readonly<Record<string, unknown>>
    readonly volumeMounts: readonly { readonly name: string }[]
    readonly livenessProbe: { readonly httpGet: { readonly path: string } }
    readonly readinessProbe: { readonly httpGet: { readonly path: string } }
  }[]
}

const manifest = (): Manifest[] =>
  parseAllDocuments(read('kubernetes/pennypost.yaml')).map((document) => {
    deepEqual(
      [...('errors' in document ? document.errors : []), ...('warnings' in document ? document.warnings : [])],
      [],
    )
    return (document as { toJS(): Manifest }).toJS()
  })

test('every pod of the manifest is probed, drained and confined, and the signer alone has the seed', () => {
  const all = manifest()
  const pods = all.filter(({ kind }) => kind === 'Deployment')
  deepEqual(
    pods.map(({ metadata }) => metadata.name),
    ['pennypost-web', 'pennypost-worker', 'pennypost-signer'],
  )
  const { DRAIN_SECONDS } = all.find(({ kind }) => kind === 'ConfigMap')!.data!
  for (const { metadata, spec } of pods) {
    const { metadata: labelled, spec: pod } = spec!.template!
    deepEqual(labelled.labels, spec!.selector!.matchLabels)
    const [container] = pod.containers
    equal(container!.livenessProbe.httpGet.path, '/healthz')
    equal(container!.readinessProbe.httpGet.path, '/readyz')
    equal(pod.securityContext.runAsNonRoot, true)
    const confined = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } }
    deepEqual(container!.securityContext, confined)
    const drainSeconds = container!.env.find(({ name }) => name === 'DRAIN_SECONDS')?.value
    // The signer has none of the settings of the ConfigMap.
    equal(drainSeconds, metadata.name === 'pennypost-signer' ? DRAIN_SECONDS : undefined)
    ok(pod.terminationGracePeriodSeconds > Number(DRAIN_SECONDS) + 10)
    deepEqual(
      container!.volumeMounts.map(({ name }) => name),
      pod.volumes.map(({ name }) => name),
    )
    equal(
      JSON.stringify(pod).includes('NANO_SEED'),
      metadata.name === 'pennypost-signer',
      'the seed is in one pod only',
    )
  }
})

test('200 connections are enough for all pods of the manifest, old and new ones together', () => {
  const all = manifest()
  const shared = all.find(({ kind }) => kind === 'ConfigMap')!.data!
  const wanted = all
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec }) => {
      const own = Object.fromEntries(spec!.template!.spec.containers[0]!.env.map(({ name, value }) => [name, value]))
      const settings = metadata.name === 'pennypost-signer' ? own : { ...shared, ...own }
      const sizes = {
        databaseConnections: Number(settings.DATABASE_CONNECTIONS),
        searchConnections: Number(settings.SEARCH_CONNECTIONS),
      }
      return 2 * spec!.replicas! * wantedConnections(sizes)
    })
  const reserved = 3
  const sum = wanted.reduce((total, each) => total + each)
  ok(sum <= 200 - reserved, `${sum}`)
  ok(read('kubernetes/pennypost.yaml').includes(`: ${sum}. max_connections = 200`), 'the comment has the same sum')
})
