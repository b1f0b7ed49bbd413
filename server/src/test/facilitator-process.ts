import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./facilitator.fixture.js', import.meta.url))

/** Starts the x402 library's facilitator for this chain on this port. Tests may kill the process. */
export async function startFacilitator(
  t: TestContext,
  { rpcUrl, port, lossy = Number.POSITIVE_INFINITY }: { rpcUrl: string; port: number; lossy?: number },
): Promise<ChildProcess> {
  const child = fork(program, [rpcUrl, String(port), String(lossy)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  await once(child, 'message')
  return child
}
