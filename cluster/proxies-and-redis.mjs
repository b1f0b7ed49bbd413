// What stands between clients, service and database: PgBouncer, Redis, HAProxy.
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createProgram, findProgram, listens } from './program.mjs'

/** Transactions of all processes over few sessions. `pointTo` follows the primary. */
export function createPgbouncer({ folder, port, primaryPort, database = 'pennypost', querySeconds = 10 }) {
  const file = join(folder, 'pgbouncer.ini')
  const write = (target) =>
    writeFileSync(
      file,
      `[databases]
${database} = host=127.0.0.1 port=${target}${database === '*' ? '' : ` dbname=${database}`} user=pennypost
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = pennypost
pool_mode = transaction
default_pool_size = 40
max_client_conn = 500
query_timeout = ${querySeconds}
query_wait_timeout = 5
idle_transaction_timeout = 15
server_connect_timeout = 3
server_login_retry = 1
server_fast_close = 1
ignore_startup_parameters = extra_float_digits
`,
    )
  write(primaryPort)
  const program = createProgram({
    name: 'pgbouncer',
    asServant: true,
    logFile: join(folder, 'pgbouncer.log'),
    command: () => [findProgram('pgbouncer'), file],
    isReady: () => listens(port),
  })
  return {
    ...program,
    port,
    url: `postgresql://pennypost@127.0.0.1:${port}/pennypost`,
    pointTo(target) {
      write(target)
      program.reload()
    },
  }
}

export function createRedis({ folder, port, databases = 16 }) {
  const program = createProgram({
    name: 'redis',
    logFile: join(folder, 'redis.log'),
    command: () => [
      ...[findProgram('redis-server'), '--port', String(port), '--bind', '127.0.0.1', '--databases', String(databases)],
      ...[
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        folder,
        '--maxmemory',
        '64mb',
        '--maxmemory-policy',
        'noeviction',
      ],
    ],
    isReady: () => listens(port),
  })
  const tell = (command) =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(`${command}\r\n`))
      socket.on('data', () => {}).once('close', resolve)
      socket.once('error', reject).setTimeout(5_000, () => socket.destroy(new Error('Redis does not reply')))
    })
  return {
    ...program,
    port,
    url: `redis://127.0.0.1:${port}`,
    /** From now on it refuses everything that needs memory. A restart makes room, too. */
    fill: () => tell('CONFIG SET maxmemory 1'),
    makeRoom: () => tell('CONFIG SET maxmemory 64mb'),
  }
}

/** Sends requests to web processes that are ready, and tells them who the client is. */
export function createHaproxy({ folder, port, webPorts }) {
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(
    file,
    `global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 65s
  timeout server 65s
  option forwardfor
  option redispatch
  retries 3
  # Nothing reached the service, so nothing happens twice.
  retry-on conn-failure
frontend public
  bind 127.0.0.1:${port}
  default_backend web
backend web
  balance roundrobin
  option httpchk GET /readyz
  # A process that is only busy is not gone: it turns readers away itself. A request to a dead one is sent to another immediately.
  timeout check 4s
  default-server check inter 500ms fall 3 rise 1
${webPorts.map((webPort, index) => `  server web-${index + 1} 127.0.0.1:${webPort}`).join('\n')}
`,
  )
  const program = createProgram({
    name: 'haproxy',
    logFile: join(folder, 'haproxy.log'),
    command: () => [findProgram('haproxy'), '-db', '-f', file],
    isReady: () => listens(port),
  })
  return { ...program, origin: `http://localhost:${port}` }
}
