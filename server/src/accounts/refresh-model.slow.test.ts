import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getMe } from '@pennypost/contract/me'
import { logOut, refreshSession } from '@pennypost/contract/sessions'
import fc from 'fast-check'
import { nextAddress, Person } from '../test/person.ts'
import { createWorld, type World } from '../test/world.ts'
import { startSession } from './session-store.ts'

// Compares the service with a small model of session refresh: after any history both give the same result.

interface Model {
  kind: 'email' | 'wallet'
  /** Refresh tokens in the order they were issued; the last is the current one. */
  issued: string[]
  rotatedAt: number
  startedAt: number
  ended: boolean
  now: number
}

interface Real {
  world: World
  person: Person
  accessTokens: string[]
}

const isOver = (model: Model) =>
  model.ended ||
  (model.kind === 'wallet' ? model.now >= model.startedAt + 30 * 86_400 : model.now >= model.rotatedAt + 90 * 86_400)

/** Presents the token that is `back` generations old. */
class Refresh implements fc.AsyncCommand<Model, Real> {
  readonly back: number
  constructor(back: number) {
    this.back = back
  }
  check = (model: Readonly<Model>) => model.issued.length > this.back
  async run(model: Model, real: Real): Promise<void> {
    const token = model.issued.at(-1 - this.back)!
    const reply = await real.person.calls(refreshSession, { body: { refreshToken: token } })
    if (isOver(model)) return equal(reply.status, 401)
    if (this.back === 0) {
      equal(reply.status, 200)
      model.issued.push(reply.body.refreshToken)
      real.accessTokens.push(reply.body.accessToken)
      model.rotatedAt = model.now
    } else if (this.back === 1 && model.now - model.rotatedAt <= 10) {
      equal(reply.status, 200)
      equal(reply.body.refreshToken, model.issued.at(-1))
      equal(reply.body.accessToken, real.accessTokens.at(-1))
    } else {
      equal(reply.status, 401)
      model.ended = true
    }
  }
  toString = () => `refresh(-${this.back})`
}

class Wait implements fc.AsyncCommand<Model, Real> {
  readonly seconds: number
  constructor(seconds: number) {
    this.seconds = seconds
  }
  check = () => true
  async run(model: Model, real: Real): Promise<void> {
    await real.world.services.clock.advance(this.seconds * 1000)
    model.now += this.seconds
  }
  toString = () => `wait(${this.seconds})`
}

class Use implements fc.AsyncCommand<Model, Real> {
  check = () => true
  async run(model: Model, real: Real): Promise<void> {
    real.person.token = real.accessTokens.at(-1)!
    const { status } = await real.person.calls(getMe, {})
    equal(status, isOver(model) || model.now - model.rotatedAt >= 3600 ? 401 : 200)
  }
  toString = () => 'use'
}

class LogOut implements fc.AsyncCommand<Model, Real> {
  check = (model: Readonly<Model>) => !isOver(model) && model.now - model.rotatedAt < 3600
  async run(model: Model, real: Real): Promise<void> {
    real.person.token = real.accessTokens.at(-1)!
    const { status, body } = await real.person.calls(logOut, {})
    equal(status, 200)
    // Signing out a wallet login invalidates the access token immediately.
    equal(body.accessTokenValidUntilExpiry, model.kind === 'email')
    model.ended = true
  }
  toString = () => 'logOut'
}

const commands = [
  fc.constantFrom(0, 0, 0, 1, 1, 2, 3).map((back) => new Refresh(back)),
  // Whole seconds, away from limits that a few milliseconds of real time could cross.
  fc.constantFrom(1, 4, 15, 1800, 3700, 31 * 86_400).map((seconds) => new Wait(seconds)),
  fc.constant(new Use()),
  fc.constant(new LogOut()),
]

test('after any history of rotations, retries, replays, waits and logouts the model and the service agree', async (t) => {
  const world = await createWorld(t)
  const { accountId } = await world.reader()
  const { db, clock, tokens } = world.services
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('email' as const, 'wallet' as const),
      fc.commands(commands, { maxCommands: 14 }),
      async (kind, history) => {
        const session = await db
          .transaction()
          .execute((tx) => startSession(tx, accountId, kind, { userAgent: undefined }, clock.now()))
        const pair = await tokens.pair(session)
        await fc.asyncModelRun(
          () => ({
            model: { kind, issued: [pair.refreshToken], rotatedAt: 0, startedAt: 0, ended: false, now: 0 },
            real: { world, person: new Person(world, nextAddress()), accessTokens: [pair.accessToken] },
          }),
          history,
        )
      },
    ),
    { numRuns: 300 },
  )
})
