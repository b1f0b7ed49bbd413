import { deepEqual, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../config.ts'
import { systemClock } from '../../platform/clock.ts'
import { borrowTestChain, hasAnvil } from '../../test/base-chain.ts'
import { createRedact } from '../redact.ts'
import { runChecks } from './check.ts'
import { checkBase } from './check-base.ts'

const unfunded = `0x${'7'.repeat(64)}`

/** What the doctor says about the node of a chain, with these settings. */
async function findings(settings: Readonly<Record<string, string>>): Promise<string[]> {
  const found = await runChecks(checkBase(readConfig(settings)), createRedact(settings))
  return found.map(({ state, detail }) => `${state}: ${detail}`)
}

async function chainFor(t: TestContext) {
  const usdc = readConfig({}).usdcAddress
  const chain = await borrowTestChain({ clock: systemClock(), usdc })
  t.after(() => chain.close())
  return chain
}

test('a Base node that is right, one without the token, and a settler without gas', { skip: !hasAnvil }, async (t) => {
  const { rpcUrl, settlerKey, call } = await chainFor(t)
  await call('evm_mine')
  const settings = { BASE_RPC_URL: rpcUrl, BASE_SETTLER_KEY: settlerKey, BASE_GAS_BUDGET: '0.05' }
  const right = await findings(settings)
  ok(right.length >= 3 && right.every((line) => line.startsWith('ok: ')), right.join('\n'))
  const text = right.join('\n')
  match(text, /is on chain 8453/)
  match(text, /is at block \d+, which is .* old/)
  match(text, /the settler 0x\w{40} has \d+\.\d{6} ETH for gas/)
  ok(!text.includes(settlerKey.slice(2)))

  // The default of development services is more than anyone has.
  match((await findings({ ...settings, BASE_GAS_BUDGET: '' })).join('\n'), /warning: the settler/)
  const wrong = async (other: Readonly<Record<string, string>>) =>
    (await findings({ ...settings, ...other })).filter((line) => line.startsWith('wrong: '))
  deepEqual(
    (await wrong({ USDC_ADDRESS: '0x0000000000000000000000000000000000000001' })).map((line) =>
      line.replace(/^\S+ \S+ /, ''),
    ),
    ['has no contract at USDC_ADDRESS'],
  )
  match((await wrong({ BASE_SETTLER_KEY: unfunded })).join(), /^wrong: the settler 0x\w{40} has 0\.000000 ETH for gas$/)
})
