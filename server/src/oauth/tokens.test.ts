import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { suspendAccount } from '@pennypost/contract/admin-accounts'
import { disconnectProgram, listConnectedPrograms } from '@pennypost/contract/connected-programs'
import { findAccountForUpdate } from '../accounts/account-store.ts'
import { closeAccount } from '../accounts/close-account.ts'
import type { World } from '../test/world.ts'
import { deleteOldGrants } from './delete-old-grants.job.ts'
import { maxPrograms } from './grant-store.ts'
import { newVerifier, oauthWorld, Program, redirectUri, type Tokens } from './oauth.fixture.ts'
import { apiTokenOfMcpProgram, findProgram } from './program-authenticator.ts'

const works = async (program: Program, { access_token }: Pick<Tokens, 'access_token'>) =>
  (await program.calls('/api/v1/me', access_token)).status === 200

test('a code becomes tokens for an hour, with what was allowed, in a reply that nobody stores', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const { status, headers, body } = await program.exchanges(await program.code(reader, { scope: 'read interact' }))
  deepEqual(
    [status, body.token_type, body.expires_in, body.scope, headers.get('cache-control')],
    [200, 'Bearer', 3600, 'read interact', 'no-store'],
  )
  equal(headers.get('access-control-allow-origin'), '*')
  equal(await works(program, body), true)
  await world.advance(3500)
  equal(await works(program, body), true)
  await world.advance(100)
  const late = await program.calls('/api/v1/me', body.access_token)
  deepEqual(
    [late.status, late.headers.get('www-authenticate')],
    [401, `Bearer error="invalid_token", resource_metadata="${world.origin}/.well-known/oauth-protected-resource"`],
  )
})

test('a code works once: the second use ends what the first got', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const code = await program.code(reader)
  const { body } = await program.exchanges(code)
  equal(await works(program, body), true)
  const again = await program.exchanges(code)
  deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  equal(await works(program, body), false)
  equal((await program.refreshes(body.refresh_token)).body.error, 'invalid_grant')
})

test('of many requests with one code at once, at most one gets tokens, and they have ended', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const code = await program.code(reader)
  const replies = await Promise.all(Array.from({ length: 8 }, () => program.exchanges(code)))
  const given = replies.filter(({ status }) => status === 200)
  equal(given.length, 1)
  ok(replies.every(({ status, body }) => status === 200 || body.error === 'invalid_grant'))
  equal(await works(program, given[0]!.body), false)
})

test('a code is good for a minute', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const [inTime, late] = [await program.code(reader), await program.code(reader)]
  await world.advance(30)
  equal((await program.exchanges(inTime)).status, 200)
  await world.advance(30)
  equal((await program.exchanges(late)).body.error, 'invalid_grant')
})

test('a code with a wrong verifier, program or redirect URI gets nothing, and is used up', async (t) => {
  const world = await oauthWorld(t)
  const [program, other, reader] = [
    await Program.registered(world),
    await Program.registered(world, { client_name: 'Another' }),
    await world.reader(),
  ]
  const wrongs: Record<string, string>[] = [
    { code_verifier: newVerifier() },
    // The challenge itself, as `plain` would have it.
    { code_verifier: createHash('sha256').update(program.verifier).digest('base64url') },
    { client_id: other.clientId },
    { redirect_uri: 'http://127.0.0.1:8766/callback' },
  ]
  for (const wrong of wrongs) {
    const code = await program.code(reader)
    const refused = await program.exchanges(code, wrong)
    deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'], JSON.stringify(wrong))
    equal((await program.exchanges(code)).body.error, 'invalid_grant')
  }
  const code = await program.code(reader)
  // OAuth 2.1 has no redirect URI here; a program of OAuth 2.0 sends it.
  equal((await program.exchanges(code, { redirect_uri: undefined })).status, 200)
})

test('requests that are not complete or not known are refused as RFC 6749 says', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const cases: [Record<string, string | undefined>, string][] = [
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ grant_type: undefined }, 'invalid_request'],
    [{ grant_type: 'authorization_code', code: 'a' }, 'invalid_request'],
    [{ grant_type: 'authorization_code', code_verifier: 'a' }, 'invalid_request'],
    [{ grant_type: 'authorization_code', code: 'a', code_verifier: 'a' }, 'invalid_grant'],
    [{ grant_type: 'refresh_token' }, 'invalid_request'],
    [{ grant_type: 'refresh_token', refresh_token: 'svcor_nonsense' }, 'invalid_grant'],
    [{ grant_type: 'refresh_token', refresh_token: 'a', client_id: 'nobody' }, 'invalid_client'],
    [{ grant_type: 'refresh_token', refresh_token: 'a', client_id: `${program.clientId}x` }, 'invalid_client'],
    [{ grant_type: 'refresh_token', refresh_token: 'a', client_id: undefined }, 'invalid_request'],
  ]
  for (const [fields, error] of cases) {
    const { status, headers, body } = await program.asks(fields)
    deepEqual([status, body.error, headers.get('cache-control')], [400, error, 'no-store'], JSON.stringify(fields))
    match(body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  }
  const twice = await program.posts('/oauth/token', `grant_type=a&grant_type=b&client_id=${program.clientId}`)
  deepEqual([twice.status, twice.body.error], [400, 'invalid_request'])
  const json = await program.posts('/oauth/token', '{}', 'application/json')
  deepEqual([json.status, json.body.error], [415, 'invalid_request'])
})

test('a refresh gives new tokens; the same request again gives the same; an old token ends everything', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const first = await program.connects(reader)
  const { body: second } = await program.refreshes(first.refresh_token)
  notEqual(second.access_token, first.access_token)
  const retried = await program.refreshes(first.refresh_token)
  deepEqual({ ...retried.body, expires_in: 0 }, { ...second, expires_in: 0 })
  await world.advance(11)
  equal((await program.refreshes(first.refresh_token)).body.error, 'invalid_grant')
  deepEqual([await works(program, first), await works(program, second)], [false, false])
  equal((await program.refreshes(second.refresh_token)).body.error, 'invalid_grant')
})

test('refreshes at once get one pair', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const { refresh_token } = await program.connects(reader)
  const replies = await Promise.all(Array.from({ length: 10 }, () => program.refreshes(refresh_token)))
  equal(new Set(replies.map(({ body }) => body.refresh_token)).size, 1)
  equal(await works(program, replies[0]!.body), true)
})

test('a refresh token belongs to its program, and expires after 60 days without use', async (t) => {
  const world = await oauthWorld(t)
  const [program, other, reader] = [
    await Program.registered(world),
    await Program.registered(world, { client_name: 'Another' }),
    await world.reader(),
  ]
  const first = await program.connects(reader)
  equal((await other.refreshes(first.refresh_token)).body.error, 'invalid_grant')
  const day = 86_400
  await world.advance(59 * day)
  const { body: second } = await program.refreshes(first.refresh_token)
  await world.advance(60 * day - 3600)
  const { body: third } = await program.refreshes(second.refresh_token)
  equal(await works(program, third), true)
  await world.advance(60 * day)
  equal((await program.refreshes(third.refresh_token)).body.error, 'invalid_grant')
})

test('a token is for one resource: that of the MCP server is refused by the API', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const mcp = await program.connects(reader, { resource: `${world.origin}/mcp` })
  equal(await works(program, mcp), false)
  ok(await findProgram(world.services, mcp.access_token, 'mcp'))
  const api = await program.connects(reader, { resource: `${world.origin}/` })
  equal(await works(program, api), true)
  equal(await findProgram(world.services, api.access_token, 'mcp'), undefined)
  // What the MCP server itself calls, inside the process.
  const inside = await apiTokenOfMcpProgram(world.services, mcp.access_token)
  equal(await works(program, { access_token: inside! }), true)
  equal(await apiTokenOfMcpProgram(world.services, api.access_token), undefined)
  const code = await program.code(reader, { resource: `${world.origin}/mcp` })
  const elsewhere = await program.exchanges(code, { resource: world.origin })
  deepEqual([elsewhere.status, elsewhere.body.error], [400, 'invalid_target'])
  equal((await program.exchanges(code, { resource: `${world.origin}/mcp` })).status, 200)
  equal((await program.refreshes(mcp.refresh_token, { resource: 'https://evil.example' })).body.error, 'invalid_target')
  equal((await program.refreshes(mcp.refresh_token, { scope: 'read publish' })).body.error, 'invalid_scope')
  equal((await program.refreshes(mcp.refresh_token, { scope: 'read' })).status, 200)
})

test('either token can be given up, and both stop; a token that is unknown is no error', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  for (const kind of ['access_token', 'refresh_token'] as const) {
    const tokens = await program.connects(reader)
    const foreign = await program.revokes({ token: tokens[kind], client_id: 'https://other.example/client' })
    deepEqual([foreign.status, foreign.body.error], [400, 'invalid_client'])
    equal(await works(program, tokens), true)
    const hint = { token: tokens[kind], token_type_hint: 'nonsense', client_id: program.clientId }
    deepEqual((await program.revokes(hint)).status, 200)
    equal((await program.revokes({ token: tokens[kind] })).status, 200)
    equal(await works(program, tokens), false)
    equal((await program.refreshes(tokens.refresh_token)).body.error, 'invalid_grant')
  }
  equal((await program.revokes({ token: 'svcoa_nonsense' })).status, 200)
  equal((await program.revokes({})).body.error, 'invalid_request')
})

test('a person disconnects a program, and nobody else can', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader, other] = [await Program.registered(world), await world.reader(), await world.reader()]
  const tokens = await program.connects(reader)
  const listed = async () => (await reader.owner.calls(listConnectedPrograms, {})).body.programs
  const [{ id, lastUsedAt }] = await listed()
  equal(lastUsedAt, null)
  equal(await works(program, tokens), true)
  ok((await listed())[0].lastUsedAt)
  deepEqual((await other.owner.calls(listConnectedPrograms, {})).body.programs, [])
  const foreign = await other.owner.calls(disconnectProgram, { params: { programId: id } })
  deepEqual([foreign.status, foreign.body.code], [404, 'program-not-found'])
  equal(await works(program, tokens), true)
  for (const _ of [1, 2])
    equal((await reader.owner.calls(disconnectProgram, { params: { programId: id } })).status, 200)
  equal(await works(program, tokens), false)
  deepEqual(await listed(), [])
})

test('a suspended account stops its programs, and a closed one ends them', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader, admin] = [await Program.registered(world), await world.reader(), await world.reader()]
  const { db, pool, clock } = world.services
  await pool.query('UPDATE accounts SET is_admin = true WHERE id = $1', [admin.accountId])
  const tokens = await program.connects(reader)
  const code = await program.code(reader)
  equal(
    (await admin.owner.calls(suspendAccount, { params: { accountId: reader.accountId }, body: { note: 'Spam' } }))
      .status,
    200,
  )
  equal(await works(program, tokens), false)
  equal((await program.refreshes(tokens.refresh_token)).body.error, 'invalid_grant')
  equal((await program.exchanges(code)).body.error, 'invalid_grant')
  await pool.query('UPDATE accounts SET suspended_at = NULL WHERE id = $1', [reader.accountId])
  equal(await works(program, tokens), true)
  await db
    .transaction()
    .execute(async (tx) => closeAccount(tx, (await findAccountForUpdate(tx, reader.accountId))!, clock.now()))
  equal(await works(program, tokens), false)
  const { rows } = await pool.query('SELECT FROM oauth_grants WHERE account_id = $1', [reader.accountId])
  equal(rows.length, 0)
})

test('an account has fifty programs: one more disconnects the one that was not used for longest', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const { pool } = world.services
  const oldest = await program.connects(reader)
  await pool.query(
    `INSERT INTO oauth_grants (id, account_id, consent_id, client_id, redirect_uri, scopes, resource, code_hash, code_challenge,
       generation, created_at, rotated_at, expires_at)
     SELECT gen_random_uuid(), account_id, gen_random_uuid(), client_id, redirect_uri, scopes, resource,
       sha256(n::text::bytea || id::text::bytea), code_challenge, 1, created_at, rotated_at + interval '1 second', expires_at
     FROM oauth_grants, generate_series(2, $2::int) n WHERE account_id = $1`,
    [reader.accountId, maxPrograms],
  )
  const newest = await program.connects(reader)
  deepEqual([await works(program, oldest), await works(program, newest)], [false, true])
  equal((await reader.owner.calls(listConnectedPrograms, {})).body.programs.length, maxPrograms)
})

test('the database has neither codes nor tokens, and old rows are deleted', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const code = await program.code(reader)
  const { body } = await program.exchanges(code)
  await program.code(reader)
  const rows = async () =>
    (
      await world.services.pool.query('SELECT g::text AS row FROM oauth_grants g WHERE account_id = $1', [
        reader.accountId,
      ])
    ).rows
  const text = JSON.stringify(await rows())
  for (const secret of [code, body.access_token, body.refresh_token]) equal(text.includes(secret.slice(6)), false)
  await runJob(world)
  equal((await rows()).length, 2)
  await world.advance(86_400 + 61)
  await runJob(world)
  equal((await rows()).length, 1)
  await world.advance(90 * 86_400)
  await runJob(world)
  equal((await rows()).length, 0)
})

const runJob = (world: World) => deleteOldGrants.run(world.services, {})

test('redirect URIs of a registration: sites, this device, apps of a domain, and nothing else', async (t) => {
  const world = await oauthWorld(t)
  const program = new Program(world)
  const good = [
    'https://program.example/callback?x=1',
    'http://127.0.0.1/callback',
    'http://localhost:3000/',
    'http://[::1]:1/a',
    'com.example.app:/callback',
    'com.example.app://callback',
  ]
  for (const uri of good) equal((await program.registers({ redirect_uris: [uri] })).status, 201, uri)
  const bad = [
    'http://program.example/callback',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://localhost@evil.example/',
    'https://user@program.example/',
    'https://program.example/#fragment',
    'https://program.example\\@evil.example/',
    'https:program.example',
    'https:///program.example',
    'https://program.example/"onclick=',
    'javascript:alert(1)',
    'data:text/html,hello',
    'myapp:/callback',
    'file:///etc/passwd',
    '/callback',
    '',
  ]
  for (const uri of bad) {
    const { status, body } = await program.registers({ redirect_uris: [redirectUri, uri] })
    deepEqual([status, body.error], [400, 'invalid_redirect_uri'], uri)
  }
  const others: [object, string][] = [
    [{ redirect_uris: [] }, 'invalid_request'],
    [{ redirect_uris: undefined }, 'invalid_request'],
    [{ redirect_uris: Array(11).fill(redirectUri) }, 'invalid_request'],
    [{ redirect_uris: Array(10).fill(`https://program.example/${'a'.repeat(300)}`) }, 'invalid_client_metadata'],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ response_types: ['token'] }, 'invalid_client_metadata'],
  ]
  for (const [metadata, error] of others) {
    const { status, body } = await program.registers(metadata)
    deepEqual([status, body.error], [400, error], JSON.stringify(metadata).slice(0, 100))
  }
  const { body } = await program.registers({
    client_name: 'A\u202e\u200b\u0007 program',
    token_endpoint_auth_method: 'client_secret_basic',
    logo_uri: 'https://x.example/',
  })
  deepEqual([body.client_name, body.token_endpoint_auth_method, 'client_secret' in body], ['A program', 'none', false])
  const disguised: [string, string | undefined][] = [
    ['\u3164\u115f\u2800', undefined],
    [`Z${'\u0301'.repeat(300)}oe`, `Z${'\u0301'.repeat(3)}oe`],
    ['\ue000Desk\ufe0f robot', 'Desk robot'],
    ['क्षि ที่นี่', 'क्षि ที่นี่'],
  ]
  for (const [client_name, shown] of disguised)
    equal((await program.registers({ client_name })).body.client_name, shown)
})
