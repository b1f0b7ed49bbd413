import { spawnSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { spawnWatched } from '../../scripts/prepare.mjs'
import { freePort } from '../../server/dist/test/free-port.js'

const startSeconds = 120

/** Starts MariaDB with an empty database in `folder`, as its Debian package sets it up, on a separate port. */
export async function startMariaDb(folder) {
  const data = join(folder, 'mariadb')
  const account = process.getuid() === 0 ? ['--user=mysql'] : []
  const { status, stderr } = spawnSync(
    '/usr/bin/mariadb-install-db',
    [`--datadir=${data}`, ...account, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`mariadb-install-db: ${stderr}`)
  const port = await freePort()
  const server = spawnWatched(
    '/usr/sbin/mariadbd',
    [
      '--no-defaults',
      `--datadir=${data}`,
      ...account,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(data, 'socket')}`,
      // As much as our PostgreSQL may use, and everything fits.
      '--innodb-buffer-pool-size=1G',
      '--character-set-server=utf8mb4',
    ],
    { output: ['ignore', 'ignore'] },
  )
  return { port, pid: server.pid, stop: () => end(server) }
}

/** An empty database for Ghost, and a connection to it. */
export async function createDatabase({ ghost }, mariaDb) {
  const client = await connect(ghost, mariaDb)
  await client.query('CREATE DATABASE ghost CHARACTER SET utf8mb4; USE ghost')
  return client
}

/** Starts Ghost in production mode. The first start creates its tables. */
export async function startGhost({ ghost, node }, mariaDb, folder) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const content = join(folder, 'content')
  if (!existsSync(content)) cpSync(join(ghost, 'content'), content, { recursive: true })
  const server = spawnWatched(node, ['index.js'], {
    cwd: ghost,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      url: origin,
      server__port: String(port),
      database__client: 'mysql',
      database__connection__host: '127.0.0.1',
      database__connection__port: String(mariaDb.port),
      database__connection__user: 'root',
      database__connection__password: '',
      database__connection__database: 'ghost',
      paths__contentPath: content,
      logging__level: 'error',
    },
    output: ['ignore', 'ignore'],
  })
  for (let attempt = 0; attempt < startSeconds * 2; attempt += 1) {
    if (server.exitCode !== null) throw new Error(`Ghost ended with ${server.exitCode}.`)
    const reply = await fetch(`${origin}/ghost/api/admin/site/`).catch(() => undefined)
    if (reply?.ok) return { origin, pid: server.pid, stop: () => end(server) }
    await wait(500)
  }
  await end(server)
  throw new Error(`Ghost was not ready after ${startSeconds} seconds.`)
}

/** With the driver that Ghost itself uses. */
async function connect(ghost, { port }) {
  const { createConnection } = createRequire(join(ghost, 'package.json'))('mysql2/promise')
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await createConnection({ host: '127.0.0.1', port, user: 'root', multipleStatements: true })
    } catch (error) {
      if (attempt === 60) throw error
      await wait(500)
    }
  }
}

async function end(server) {
  if (server.exitCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  process.kill(server.pid, 'SIGTERM')
  const forced = setTimeout(() => process.kill(-server.pid, 'SIGKILL'), 20_000)
  await ended
  clearTimeout(forced)
}
