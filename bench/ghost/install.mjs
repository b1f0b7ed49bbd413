import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Exact versions, so that everyone measures the same.
const versions = { ghost: '6.65.0', node: '22.23.3', pnpm: '12.4.2' }
const timeout = 20 * 60_000

/**
 * Installs Ghost with the Node and the package manager that it asks for, all from npm, and MariaDB from Debian. Ghost is under the
 * MIT licence and not a dependency; it stays in a folder for temporary files. Returns where everything is.
 */
export function installGhost() {
  const folder = join(tmpdir(), `pennypost-bench-ghost-${versions.ghost}`)
  const tools = join(folder, 'tools', 'node_modules', '.bin')
  const ghost = join(folder, 'package')
  mkdirSync(join(folder, 'tools'), { recursive: true })
  if (!existsSync(join(tools, 'pnpm'))) {
    writeFileSync(join(folder, 'tools', 'package.json'), '{"private":true}')
    run('npm', ['install', `node@${versions.node}`, `pnpm@${versions.pnpm}`], join(folder, 'tools'))
  }
  if (!existsSync(ghost)) {
    run('npm', ['pack', `ghost@${versions.ghost}`], folder)
    run('tar', ['xzf', `ghost-${versions.ghost}.tgz`], folder)
  }
  const path = `${tools}:${process.env.PATH}`
  if (!existsSync(join(ghost, 'node_modules', '.modules.yaml'))) {
    // Without the scripts of packages: one of them builds SQLite, which is not used here.
    run('pnpm', ['install', '--prod', '--frozen-lockfile', '--ignore-scripts'], ghost, { PATH: path })
  }
  if (!existsSync('/usr/sbin/mariadbd')) {
    run('apt-get', ['-qq', 'update'], folder)
    run('apt-get', ['-qq', 'install', '--yes', '--no-install-recommends', 'mariadb-server'], folder, {
      DEBIAN_FRONTEND: 'noninteractive',
    })
  }
  return { ghost, node: join(tools, 'node'), version: versions.ghost }
}

function run(program, args, cwd, env = {}) {
  console.log(`  ${program} ${args.join(' ')}`)
  const { status, error, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr.slice(-2000)}`)
}
