import { type Me, PennypostError } from '@pennypost/sdk'
import { ask } from '../frame/ask.ts'
import { CliError, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import { command } from '../frame/command.ts'
import { type Line, table } from '../frame/text.ts'
import { type Client, openClient } from '../profile/client.ts'
import { forgetKey, readKey, rememberService, saveKey } from '../profile/profile.ts'
import { readSecretFile } from '../profile/read-secret-file.ts'
import { withCode } from './with-code.ts'

export const login = command({
  name: 'login',
  summary: 'Sign in with a code by email, or save a publishing key',
  description:
    'The service emails a code, and the command asks for it; a program can write it to standard input. With --new an account is created if the address has none. The session and the key are kept in the profile, in files that only you can read.',
  positionals: [{ name: 'EMAIL', summary: 'the address of your account', optional: true }],
  options: {
    'key-file': {
      type: 'string',
      value: 'FILE',
      summary: 'Save this publishing key instead; - reads it from standard input',
    },
    new: { type: 'boolean', summary: 'Create an account if there is none. Needs --accept-terms' },
    'accept-terms': { type: 'boolean', summary: 'You accept the terms of the service' },
  },
  examples: [
    ['pennypost login ada@example.org --url https://pennypost.example', 'signs in, and remembers the service'],
    ['pennypost login --key-file key.txt', 'saves a publishing key'],
  ],
  async run({ args: { EMAIL }, options }, shell) {
    if (options['key-file'] !== undefined) return logInWithKey(shell, options['key-file'])
    if (options.new && !options['accept-terms'])
      throw usageError('A new account needs --accept-terms. The terms are on the site of the service.')
    const client = await openClient(shell, { publishingKey: undefined })
    const email = EMAIL ?? (await ask(shell, 'Email address: '))
    if (!/^\S+@\S+$/.test(email)) throw usageError('This is not an email address.')
    const isNew = options.new ? await signUp(shell, client, email) : await signIn(shell, client, email)
    await rememberService(shell, client.profile)
    await printMe(shell, client, await client.pennypost.profile.me({ signal: shell.signal }), { isNew })
  },
})

const codeSent = (email: string) => `We emailed a code to ${email}.`

async function signIn(shell: Shell, { pennypost }: Client, email: string): Promise<boolean> {
  const { signal, output } = shell
  try {
    await pennypost.session.sendCode(email, { signal })
    output.note(codeSent(email))
  } catch (error) {
    // Someone who was interrupted at the question, or mistyped the code too often, has an email that is still good.
    if (!(error instanceof PennypostError && error.code === 'mail-cooldown')) throw error
    output.note(`We emailed a code to ${email} a moment ago. Use that one.`)
  }
  await withCode(shell, (code) => pennypost.session.signIn(email, code, { signal }))
  return false
}

async function signUp(shell: Shell, { pennypost }: Client, email: string): Promise<boolean> {
  const { signal } = shell
  const started = await pennypost.operations.continueWithEmail({ body: { email, acceptedTerms: true } }, { signal })
  shell.output.note(codeSent(email))
  const params = { continuationId: started.body.continuationId }
  const { body } = await withCode(shell, (code) =>
    pennypost.operations.verifyContinuation({ params, body: { code } }, { signal }),
  )
  await pennypost.session.use(body)
  return body.isNewAccount
}

async function logInWithKey(shell: Shell, file: string): Promise<void> {
  const key = await readSecretFile(shell, file, '--key-file')
  if (!/^svcpk_\w+$/.test(key)) throw usageError('This is not a publishing key. One begins with svcpk_.')
  const client = await openClient(shell, { publishingKey: key })
  const me = await client.pennypost.profile.me({ signal: shell.signal })
  await saveKey(client.profile, key)
  await rememberService(shell, client.profile)
  await printMe(shell, client, me)
}

export const logout = command({
  name: 'logout',
  summary: 'End the session, and forget the publishing key of this profile',
  description:
    'The key stays valid: pennypost keys revoke ends it. Signed payments are kept, because they open what was bought.',
  async run(_, shell) {
    const client = await openClient(shell, { publishingKey: undefined })
    const wasSignedIn = (await client.pennypost.session.current()) !== undefined
    const hadKey = (await readKey(client.profile)) !== undefined
    if (wasSignedIn) await client.pennypost.session.signOut({ signal: shell.signal })
    await forgetKey(client.profile)
    const text = wasSignedIn || hadKey ? `Signed out of ${client.profile.url}.` : 'You were not signed in.'
    shell.output.result({ url: client.profile.url, signedOut: wasSignedIn, keyForgotten: hadKey }, [text])
  },
})

export const whoami = command({
  name: 'whoami',
  summary: 'Show who you are signed in as, and what publishing still needs',
  async run(_, shell) {
    const client = await openClient(shell)
    const isSignedIn = (await client.pennypost.session.current()) !== undefined
    if (!isSignedIn && !client.hasKey)
      throw new CliError('signedOut', 'signed-out', 'You are not signed in.', { hints: ['Sign in: pennypost login'] })
    // Prefers the session, which may see more of the account than a key.
    const asked = isSignedIn ? await openClient(shell, { publishingKey: undefined }) : client
    await printMe(shell, client, await asked.pennypost.profile.me({ signal: shell.signal }))
  },
})

async function printMe({ output }: Shell, { profile, hasKey, pennypost }: Client, me: Me, { isNew = false } = {}) {
  const isSignedIn = (await pennypost.session.current()) !== undefined
  const { handle, name } = me.profile
  const key = hasKey || (await readKey(profile)) !== undefined
  const { blockers } = me.publication
  const lines: Line[] = [
    ...(isNew ? ['Welcome. Your account was created.', ''] : []),
    ...table([
      ['Account', `${name} (@${handle})`],
      ...(me.email ? [['Email', me.email]] : []),
      ['Service', profile.url],
      ['Profile', profile.name],
      ['Session', isSignedIn ? 'yes' : 'no'],
      ['Publishing key', key ? 'yes' : 'no'],
      ['Can publish', blockers.length === 0 ? 'yes' : 'not yet'],
    ]),
    ...blockers.map(({ message }) => `  ${message}`),
  ]
  const { id, email = null, publication } = me
  output.result(
    { id, name, handle, email, url: profile.url, profile: profile.name, isSignedIn, hasKey: key, isNew, publication },
    lines,
  )
}
