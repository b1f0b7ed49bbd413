import { deepEqual, equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { folderFor, startProcess } from './service-process.ts'

// Runs the commands of README.md and docs/api-tour.md in order, exactly as a newcomer would copy them.

const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Result {
  readonly failed: boolean
  readonly stdout: string
  readonly stderr: string
}

const run = (command: string, args: readonly string[]): Promise<Result> =>
  new Promise((resolve) => {
    execFile(command, args, { timeout: 300_000 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    )
  })

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!)

/** Whether curl is at least 7.82, the first version with `--json`. */
async function hasCurl(): Promise<boolean> {
  const { stdout } = await run('curl', ['--version'])
  const [, major, minor] = /^curl (\d+)\.(\d+)/.exec(stdout) ?? []
  return Number(major) * 100 + Number(minor) >= 782
}

test('the commands of README and of the API tour work on a fresh start', async (t) => {
  if (!(await hasCurl())) return t.skip('curl 7.82 or later is not installed')
  const service = await startProcess(t, { DATA_DIR: await folderFor(t), LOG_LEVEL: 'warn' })
  const origin = service.origin.replace('127.0.0.1', 'localhost')
  const copied = (code: string) => run('bash', ['-euc', code.replaceAll('http://localhost:3000', origin)])

  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const inTenLines = blocks(readme, 'sh').find((code) => code.includes('curl'))!
  equal(inTenLines.trim().split('\n').length, 10)
  const first = await copied(inTenLines)
  match(first.stdout, new RegExp(`${origin}/posts/[0-9a-f-]{36}\n$`), first.stderr)

  const tour = await readFile(join(root, 'docs', 'api-tour.md'), 'utf8')
  const { failed, stdout, stderr } = await copied(blocks(tour, 'sh').join('echo\n'))
  equal(failed, false, stderr)
  match(stdout, /\nnano:mainnet\n/)
  match(stdout, /\nHow the first one worked\.\n$/)
  const shown = blocks(tour, 'json').flatMap((reply) => [...reply.matchAll(/"(\w+)":/g)].map(([, name]) => name!))
  deepEqual(
    shown.filter((name) => !stdout.includes(`"${name}":`)),
    [],
  )
})

test('an agent that has read nothing but the skill can publish, find and buy a post', async (t) => {
  if (!(await hasCurl())) return t.skip('curl 7.82 or later is not installed')
  // The post of the skill is priced in USDC. Rates make it a price in Nano, too.
  const settings = { DATA_DIR: await folderFor(t), LOG_LEVEL: 'warn', RATES_STATIC: 'XNO=1.25,USDC=1' }
  const { origin } = await startProcess(t, settings)
  const skill = await (await fetch(`${origin}/SKILL.md`)).text()
  const commands = blocks(skill, 'sh').flatMap((block) => block.split(/^(?=curl )/m).filter(Boolean))
  /** Runs the only command that contains this text, with these words instead of the placeholders. */
  const runs = async (part: string, words: Readonly<Record<string, string>> = {}) => {
    const [command, ...others] = commands.filter((each) => each.includes(part))
    deepEqual(others, [], part)
    let filled = command!
    for (const [word, value] of Object.entries(words)) filled = filled.replaceAll(word, value)
    const { failed, stdout, stderr } = await run('bash', ['-euc', filled])
    equal(failed, false, stderr)
    return part.endsWith('.md') ? stdout : JSON.parse(stdout)
  }
  const code = async () => {
    for (;;) {
      const { messages } = (await (await fetch(`${origin}/dev/mail?to=agent@example.org`)).json()) as {
        messages: { code: string }[]
      }
      if (messages[0]) return messages[0].code
    }
  }
  const REGISTRATION_ID = crypto.randomUUID()
  const EMAIL = 'agent@example.org'
  await runs('/registrations -H', { REGISTRATION_ID, EMAIL, NAME: 'Agent', HANDLE: 'an_agent' })
  const CODE = await code()
  const { accessToken: ACCESS_TOKEN } = await runs('/verify', { REGISTRATION_ID, '"CODE"': `"${CODE}"` })
  const { key: KEY } = await runs('/api-key', { REGISTRATION_ID, ACCESS_TOKEN })
  const BASE_ADDRESS = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'.toLowerCase()
  const saved = await runs('/base-payout-address', { ACCESS_TOKEN, BASE_ADDRESS })
  equal(saved.payoutAddress.toLowerCase(), BASE_ADDRESS)
  equal((await runs('/declare-agent', { KEY })).authorKind, 'agent')
  match(skill, /For Nano it is `\/api\/v1\/profile\/payout-address`/)
  const payoutAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
  const headers = { authorization: `Bearer ${ACCESS_TOKEN}`, 'content-type': 'application/json' }
  const put = { method: 'PUT', headers, body: JSON.stringify({ payoutAddress }) }
  equal((await fetch(`${origin}/api/v1/profile/payout-address`, put)).status, 200)
  const draft = await runs('/api/v1/posts -H', { KEY, TITLE: 'On engines' })
  deepEqual(draft.blockers, [])
  const POST_ID = draft.id as string
  equal((await runs('/publish', { KEY, POST_ID })).status, 'published')

  const { data } = await runs('/api/posts?q=', { WORDS: 'engines' })
  equal(data[0].id, POST_ID)
  match(await runs('/posts/POST_ID.md', { POST_ID }), /The free part\./)
  const bought = await runs('/checkout/sessions', { POST_ID, PURCHASE_ID: crypto.randomUUID() })
  const { address: to, amountRaw } = bought.payment
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
  await fetch(`${origin}/dev/nano/send`, { ...post, body: JSON.stringify({ to, amountRaw }) })
  const status = { STATUS_URL: bought.statusUrl, CHECKOUT_CREDENTIAL: bought.checkoutCredential }
  let paid = await runs('STATUS_URL', status)
  while (paid.checkout.status !== 'paid') paid = await runs('STATUS_URL', status)
  const read = await runs('/access -H', { POST_ID, ACCESS_TOKEN: paid.session.accessToken })
  equal(read.paidContentMarkdown, 'The paid part.')
})
