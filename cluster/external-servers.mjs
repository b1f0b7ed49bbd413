// Servers of others: an S3 store, a mail server, rates, a Nano node, a Base node, a facilitator.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { baseChainId } from '../server/dist/rails/base/base-chain-id.js'
import { createProgram, findProgram, listens } from './program.mjs'

const script = (name) => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url))

const createServer = ({ name, folder, args, port, file = script(name) }) => ({
  ...createProgram({
    name,
    logFile: join(folder, `${name}.log`),
    command: () => [process.execPath, file, ...args.map(String)],
    isReady: () => listens(port),
  }),
  port,
})

export function createS3({ folder, port }) {
  const objects = join(folder, 'objects')
  const full = `${objects}-full`
  const program = createServer({ name: 's3', folder, args: [port, objects], port })
  return {
    ...program,
    url: `s3://S3RVER:S3RVER@127.0.0.1:${port}/pennypost?region=us-east-1&tls=0`,
    /** From now on it stores nothing, and says so with this status. */
    fill: (status = 507) => writeFileSync(full, String(status)),
    makeRoom: () => rmSync(full, { force: true }),
  }
}

export function createMailServer({ folder, port, httpPort }) {
  const program = createServer({ name: 'smtp', folder, args: [port, httpPort], port })
  const newestUrl = (address) => `http://127.0.0.1:${httpPort}/?to=${encodeURIComponent(address)}`
  /** The newest email to an address, as it was sent. */
  const newestTo = async (address) => {
    const reply = await fetch(newestUrl(address))
    return reply.status === 200 ? reply.text() : undefined
  }
  return { ...program, url: `smtp://127.0.0.1:${port}`, newestTo, newestUrl }
}

export function createRates({ folder, port }) {
  return { ...createServer({ name: 'rates', folder, args: [port], port }), url: `http://127.0.0.1:${port}/` }
}

export function createNanoNode({ folder, port }) {
  const program = createServer({ name: 'nano', folder, args: [port, join(folder, 'nano-ledger')], port })
  return { ...program, rpcUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}` }
}

/** Undefined if anvil is not installed: then nothing costs USDC. A stop writes its state, a start reads it. */
export function createBaseNode({ folder, port }) {
  const anvil = findProgram('anvil')
  if (!anvil) return undefined
  const state = join(folder, 'chain.json')
  const program = createProgram({
    name: 'base',
    logFile: join(folder, 'base.log'),
    readyMs: 120_000,
    command: () => [
      ...[anvil, '--host', '127.0.0.1', '--port', String(port)],
      ...['--chain-id', String(baseChainId), '--hardfork', 'cancun'],
      ...['--dump-state', state, ...(existsSync(state) ? ['--load-state', state] : [])],
    ],
    isReady: () => listens(port),
  })
  const rpcUrl = `http://127.0.0.1:${port}`
  const call = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const reply = await fetch(rpcUrl, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const { result, error } = await reply.json()
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
  return { ...program, port, rpcUrl, call }
}

/** The facilitator of the x402 library, with its own key. It loses every fifth reply to a settlement that it made. */
export function createFacilitator({ folder, port, rpcUrl }) {
  const file = fileURLToPath(new URL('../server/dist/test/facilitator.fixture.js', import.meta.url))
  const program = createServer({ name: 'facilitator', folder, args: [rpcUrl, port, 5], port, file })
  return { ...program, url: `http://127.0.0.1:${port}` }
}
