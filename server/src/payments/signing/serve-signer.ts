import { createHash, timingSafeEqual } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isDatabaseUnavailable } from '../../platform/database/database.ts'
import { faultPoint } from '../../platform/fault-point.ts'
import { connectionCloser } from '../../platform/http/close-connections.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { mayReadMetrics } from '../../platform/operations/get-metrics.ts'
import type { ReadinessReport } from '../../platform/readiness.ts'
import type { SettlerAccount } from '../../rails/base/payment/settler-account.ts'
import type { Keyring } from '../../rails/nano/custody/keyring.ts'
import { isNodeError } from '../../rails/node-errors.ts'
import { type BlockSigner, SignatureWaits } from '../../rails/signer/signer.ts'
import {
  AddressesRequest,
  BlockRequest,
  type SignerStatus,
  secretRefused,
  TransactionRequest,
} from '../../rails/signer/signer-client.ts'
import { TransactionRefused } from './authorize-transaction.ts'

export interface SignerServerParts {
  readonly secret: string
  readonly keyring: Keyring
  readonly signer: BlockSigner
  /** The lock that we hold in our database. Null while we are not connected. */
  readonly databaseLock: () => Promise<number | null>
  /** Undefined without a `BASE_SETTLER_KEY`. */
  readonly account: SettlerAccount | undefined
  readonly log: Log
  readonly metrics: Pick<Metrics, 'registry' | 'text'>
  readonly metricsToken: string | undefined
  readonly readiness: () => Promise<ReadinessReport>
}

const maxBodyBytes = 256 * 1024
const requestTimeoutMs = 5_000
const maxConnections = 1_000
// Strangers without the secret could otherwise keep all connections for half a minute and longer.
const checkConnectionsEveryMs = 1_000
const Anything = z.unknown()

/**
 * What the process with `ROLE=signer` serves, on its own port, to the other processes: addresses, the next block of an
 * address, and transactions that present a payment. Nothing else can be asked for, least of all a key.
 */
export function createSignerServer(parts: SignerServerParts): FastifyInstance {
  const { keyring, signer, account, log, metrics } = parts
  const server = Fastify({
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 60_000,
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: checkConnectionsEveryMs },
    logger: false,
    // While stopping, signatures in progress are finished, and requests on open connections still get a reply.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  })
  server.server.maxConnections = maxConnections
  const closeConnections = connectionCloser(server.server)
  server.addHook('preClose', async () => closeConnections())
  const expected = sha256(`Bearer ${parts.secret}`)
  const isAllowed = ({ headers }: FastifyRequest) => timingSafeEqual(sha256(headers.authorization ?? ''), expected)

  /** Serves one question. The secret is checked before the body is read. */
  const serve = <T>(path: string, schema: z.ZodType<T>, reply: (body: T) => Promise<object>) =>
    server.post(path, { onRequest: requireSecret }, async (request, response) => {
      const body = schema.safeParse(request.body)
      if (!body.success) return response.code(400).send({ error: 'the request is not one of ours' })
      const replied = await reply(body.data)
      if (path !== '/status') faultPoint(`signer-replies-${path.split('/').at(-1)}`)
      return replied
    })
  async function requireSecret(request: FastifyRequest, response: FastifyReply): Promise<unknown> {
    if (isAllowed(request)) return undefined
    log.warn({ ip: request.ip }, 'someone asked the signer without the right SIGNER_SECRET')
    return response.code(401).send({ error: secretRefused })
  }

  serve('/status', Anything, async (): Promise<SignerStatus> => {
    const [settler, databaseLock] = await Promise.all([account?.address() ?? null, parts.databaseLock()])
    return { first: keyring.first, house: keyring.house, settler, databaseLock }
  })
  serve('/addresses', AddressesRequest, async ({ derivations }) => {
    return { first: keyring.first, addresses: keyring.addressesOf(derivations) }
  })
  serve('/nano/blocks', BlockRequest, ({ addressId, work }) => signer.signNextBlock(addressId, work))
  serve('/base/transactions', TransactionRequest, async (transaction) => {
    if (!account) return { kind: 'refused', reason: 'the signer has no BASE_SETTLER_KEY' }
    try {
      return { kind: 'signed', raw: await account.sign(transaction) }
    } catch (error) {
      if (error instanceof SignatureWaits) return { kind: 'waits', reason: error.message }
      if (!(error instanceof TransactionRefused)) throw error
      log.error({ to: transaction.to, cause: error.message }, 'a transaction was not signed')
      return { kind: 'refused', reason: error.message }
    }
  })

  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async (_, response) => {
    const { missing, degraded, details } = await parts.readiness()
    const isReady = missing.length === 0
    const report = { status: isReady ? 'ready' : 'not-ready', missing, degraded, details }
    return response.code(isReady ? 200 : 503).send(report)
  })
  server.get('/metrics', async ({ headers, ip }, response) => {
    const forwardedFor = headers['x-forwarded-for']
    if (!mayReadMetrics(parts.metricsToken, { authorization: headers.authorization, ip, forwardedFor }))
      return response.code(403).send({ error: 'metrics are for this machine, or for METRICS_TOKEN' })
    return response.type(metrics.registry.contentType).send(await metrics.text())
  })
  server.setNotFoundHandler((_, response) => response.code(404).send({ error: 'there is nothing here' }))
  server.setErrorHandler((error: Error & { statusCode?: number }, request, response) => {
    if (error.statusCode !== undefined && error.statusCode < 500)
      return response.code(400).send({ error: 'the request is not one of ours' })
    const isAway = isDatabaseUnavailable(error) || isNodeError(error)
    log[isAway ? 'warn' : 'error']({ path: request.url, err: error }, 'the signer could not sign')
    return response.code(isAway ? 503 : 500).send({ error: 'the signer cannot sign now' })
  })
  return server
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
