import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../test/free-port.ts'

const program = ['/usr/sbin/clamd', '/usr/local/sbin/clamd', '/opt/homebrew/sbin/clamd'].find(existsSync)

/** For tests that need the real one. */
export const needsClamd = { skip: !program && 'clamd is not installed' }

// In two halves, or anti-virus programs would object to this file.
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

export interface Clamd {
  readonly url: string
  start(): Promise<void>
  stop(): Promise<void>
}

/** The real one, not yet started, with a single signature of our own: its database is large and has to be downloaded. */
export async function prepareClamd(t: TestContext): Promise<Clamd> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-clamd-'))
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'own.ndb'), `Eicar-Test:0:*:${Buffer.from(eicar).toString('hex')}\n`)
  const port = await freePort()
  const settings = [`DatabaseDirectory ${folder}`, 'TCPAddr 127.0.0.1', `TCPSocket ${port}`, 'Foreground yes']
  await writeFile(join(folder, 'clamd.conf'), `${settings.join('\n')}\n`)
  let end = () => Promise.resolve()
  t.after(async () => {
    await end()
    await rm(folder, { recursive: true })
  })
  return {
    url: `tcp://127.0.0.1:${port}`,
    async start() {
      const clamd = spawn(program!, ['-c', join(folder, 'clamd.conf')], { stdio: 'ignore' })
      const ended = once(clamd, 'exit')
      end = async () => {
        clamd.kill('SIGKILL')
        await ended
      }
      for (let tries = 0; tries < 300; tries += 1) {
        if (await answersAt(port)) return
        await wait(100)
      }
      throw new Error('clamd did not start')
    },
    stop: () => end(),
  }
}

const answersAt = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined))
    socket.on('error', () => resolve(false))
  })
