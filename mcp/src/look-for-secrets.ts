// An agent that is asked for money may try to hand over its key. No tool takes one, and a key is no longer safe once it was
// sent to a server or is in the log of an agent.

const looksLikeSecret = (text: string): boolean =>
  // A Nano seed or key, or a key of Base.
  /^(0x)?[0-9a-f]{64}$/i.test(text) ||
  // A Nano secret key with its public part.
  /^[0-9a-f]{128}$/i.test(text) ||
  // A publishing key or another credential of this service.
  /^svc[a-z]{2}_/.test(text) ||
  // The words of a wallet.
  /^[a-z]{3,8}( [a-z]{3,8}){11}(( [a-z]{3,8}){3}|( [a-z]{3,8}){6}|( [a-z]{3,8}){9}|( [a-z]{3,8}){12})?$/.test(text)

const names = /^(private_?key|secret(_?key)?|seed|seed_?phrase|mnemonic|password)$/i

/** Why these arguments are refused, if one of them is a secret. Only whole values count: a post may well quote a hash. */
export function secretIn(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  for (const [name, value] of Object.entries(given))
    if (names.test(name) || (typeof value === 'string' && looksLikeSecret(value.trim())))
      return `"${name.slice(0, 60)}" looks like a private key, a seed or a credential. No tool takes one: never send it anywhere, and replace it if it was real. Payments are signed by your own wallet.`
  return undefined
}
