import { invalidRequest } from '@pennypost/contract/errors'
import {
  type issueToken as declared,
  invalidClient,
  invalidGrant,
  invalidScope,
  invalidTarget,
  unsupportedGrantType,
} from '@pennypost/contract/oauth'
import type { z } from 'zod'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { readResource } from './authorization-request.ts'
import { isClientId } from './find-client.ts'
import { exchangeCode, findGrant, findGrantOfCode, type Grant, refreshGrant } from './grant-store.ts'
import { accessSeconds, readRefreshToken, writeAccessToken, writeRefreshToken } from './grant-tokens.ts'
import { sendConnectedNotice } from './send-connected-notice.job.ts'
import type { Handler, OAuthServices } from './services.ts'

type TokenRequest = z.output<typeof declared.request.body.fields>

export const issueToken: Handler<typeof declared> = async (services, { body }) => {
  if (!isClientId(services, body.client_id)) refuse(invalidClient)
  return { status: 200, body: tokensOf(services, await findRequested(services, body)) }
}

function findRequested(services: OAuthServices, body: TokenRequest): Promise<Grant> {
  if (body.grant_type === 'authorization_code') return byCode(services, body)
  if (body.grant_type === 'refresh_token') return byRefreshToken(services, body)
  return refuse(unsupportedGrantType)
}

async function byCode(services: OAuthServices, body: TokenRequest): Promise<Grant> {
  const code = body.code ?? refuseMissing('code')
  const codeVerifier = body.code_verifier ?? refuseMissing('code_verifier')
  requireAllowed(services, body, await findGrantOfCode(services.db, code))
  const exchange = { code, codeVerifier, clientId: body.client_id, redirectUri: body.redirect_uri }
  const { db, clock } = services
  const grant = await db.transaction().execute(async (tx) => {
    const exchanged = await exchangeCode(tx, exchange, clock.now())
    if (exchanged) await enqueue(tx, clock, sendConnectedNotice, { grantId: exchanged.id })
    return exchanged
  })
  return grant ?? refuse(invalidGrant)
}

async function byRefreshToken(services: OAuthServices, body: TokenRequest): Promise<Grant> {
  const { db, clock, secrets } = services
  const presented = readRefreshToken(secrets, body.refresh_token ?? refuseMissing('refresh_token'))
  if (!presented) return refuse(invalidGrant)
  requireAllowed(services, body, await findGrant(db, presented.grantId))
  const grant = await db.transaction().execute((tx) => refreshGrant(tx, presented, body.client_id, clock.now()))
  return grant ?? refuse(invalidGrant)
}

/** Refuses a request for more than the person has allowed. Neither field of a grant ever changes. */
function requireAllowed({ origins }: OAuthServices, { resource, scope }: TokenRequest, found: Grant | undefined): void {
  const grant = found ?? refuse(invalidGrant)
  if (resource !== undefined && readResource(resource, origins) !== grant.resource) refuse(invalidTarget)
  const wanted = scope?.split(' ').filter((name) => name !== '') ?? []
  if (wanted.some((name) => !grant.scopes.includes(name as never))) refuse(invalidScope)
}

const refuseMissing = (field: string): never =>
  refuse(invalidRequest, { errors: [{ field, code: 'required', message: 'is required' }] })

/** The tokens of a grant's current generation. The same row always gives the same tokens. */
function tokensOf({ secrets, clock }: OAuthServices, { id, generation, resource, scopes, rotated_at }: Grant) {
  const age = Math.floor((clock.now().getTime() - rotated_at.getTime()) / 1000)
  return {
    access_token: writeAccessToken(secrets, { grantId: id, generation, resource, issuedAt: rotated_at }),
    token_type: 'Bearer' as const,
    expires_in: accessSeconds - age,
    refresh_token: writeRefreshToken(secrets, { grantId: id, generation }),
    scope: scopes.join(' '),
  }
}
