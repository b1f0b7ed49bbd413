import { createHash, createPrivateKey } from 'node:crypto'
import { publicKeyOf as definedKeyOf } from '@pennypost/nano/keys'

// The same public keys as those of `@pennypost/nano`, in a third of the time: every x402 offer needs one. A public key is a
// multiple of the base point. OpenSSL computes such multiples natively, for X25519: on the same curve in other coordinates
// (RFC 7748, section 4.1), of which it gives only one, u. There are two points with the same u. The neighbouring multiple, eight
// away because X25519 clears the lowest three bits as Nano does, tells them apart.

const p = 2n ** 255n - 19n
/** v² = u³ + au² + u */
const a = 486_662n
/** -x² + y² = 1 + dx²y² */
const d = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n

// Eight times the base point: its u, the square of its v, and -2 * 486664 * u / x. Since x = √-486664 * u / v, no root is needed.
const u8 = 0x275fa6d7aad65c2dd83b884dc8b65ca17a78edcaad74a91ef1716fed48c99968n
const v8Squared = 0x7babdec1a0188df054f8bfd07f4ef9cef02310287e654173c962fb5aab746cb4n
const scale8 = 0x6d163e2d63b6edb64bd968a22113f879ae39e00775f3da069739323749dd69ddn

/** Exported for its test. */
export function keysByX25519(secretKeys: readonly Uint8Array[]): Uint8Array[] {
  const multiples = secretKeys.map(multipleOf)
  // Neither factor is zero: they are for points of even order only.
  const inverses = invertAll(multiples.map(({ u, product }) => mod(product * (u + 1n))))
  return multiples.map((multiple, index) => encode(pointOf(multiple, inverses[index]!)))
}

/** A multiple of the base point, known by its u and by its neighbour's. */
interface Multiple {
  readonly u: bigint
  /** 2 * v * v8, or the negative of that if the neighbour is eight less. */
  readonly product: bigint
  readonly isLess: boolean
}

/**
 * The point with this u whose sum with eight times the base point, or with the negative of that, has the u of the neighbour.
 * From the law of addition: (v - v8)² = (neighbour + a + u + u8) * (u - u8)², where only v is not known.
 */
function multipleOf(secretKey: Uint8Array): Multiple {
  const scalar = createHash('blake2b512').update(secretKey).digest().subarray(0, 32)
  const u = multipleOfBase(scalar)
  // Eight more or, if this bit is set, eight less. Neither can carry.
  const isLess = (scalar[0]! & 8) !== 0
  scalar[0]! ^= 8
  const neighbour = multipleOfBase(scalar)
  const vSquared = u * mod(u * (u + a) + 1n)
  const distance = u - u8
  const product = mod(vSquared + v8Squared - mod((neighbour + a + u + u8) * distance) * distance)
  return { u, product, isLess }
}

/** @param inverse of `product * (u + 1)`: one inversion for both coordinates. */
function pointOf({ u, product, isLess }: Multiple, inverse: bigint): { x: bigint; y: bigint } {
  const x = mod(mod((isLess ? -scale8 : scale8) * u) * mod((u + 1n) * inverse))
  const y = mod(mod((u - 1n) * product) * inverse)
  // Money that is sent to a wrong address is lost, so it costs too little to leave this out.
  const [xx, yy] = [mod(x * x), mod(y * y)]
  if (mod(yy - xx - 1n - mod(d * xx) * yy) !== 0n) throw new Error('a public key is not on the curve')
  return { x, y }
}

/** The u of a multiple of the base point. X25519 clears and sets the same bits of the scalar as Ed25519 (RFC 7748, section 5). */
function multipleOfBase(scalar: Buffer): bigint {
  // As a JWK, because OpenSSL takes ten times as long to read DER. Node reads `d` only, and computes `x`.
  const jwk = { kty: 'OKP', crv: 'X25519', x: '', d: scalar.toString('base64url') }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  return numberOf(Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url'))
}

const mod = (number: bigint): bigint => {
  const rest = number % p
  return rest < 0n ? rest + p : rest
}

/** The inverse modulo p, by Euclid's algorithm. Its time depends on the number, which is public. */
function invert(number: bigint): bigint {
  let [low, high] = [number, p]
  let [factor, before] = [1n, 0n]
  while (low > 0n) {
    const quotient = high / low
    ;[low, high] = [high - quotient * low, low]
    ;[factor, before] = [before - quotient * factor, factor]
  }
  return mod(before)
}

/** The inverses of several numbers with a single inversion, which takes as long as sixty multiplications (Montgomery's trick). */
function invertAll(numbers: readonly bigint[]): bigint[] {
  const products = [1n]
  for (const number of numbers) products.push(mod(products.at(-1)! * number))
  const inverses = new Array<bigint>(numbers.length)
  let inverse = invert(products.at(-1)!)
  for (let index = numbers.length - 1; index >= 0; index -= 1) {
    inverses[index] = mod(inverse * products[index]!)
    inverse = mod(inverse * numbers[index]!)
  }
  return inverses
}

/** Both are little-endian. */
const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.reverse().toString('hex')}`)

/** y, and in its highest bit whether x is odd. */
function encode({ x, y }: { x: bigint; y: bigint }): Uint8Array {
  const whole = y | ((x & 1n) << 255n)
  return Buffer.from(whole.toString(16).padStart(64, '0'), 'hex').reverse()
}

/** The published key of the zero seed's first account. */
const published = {
  secretKey: Buffer.from('9f0e444c69f77a49bd0be89db92c38fe713e0963165cca12faf5712d7657120f', 'hex'),
  publicKey: Buffer.from('c008b814a7d269a1fa3c6528b19201a24d797912db9996ff02a1ff356e45552b', 'hex'),
}

function isX25519Usable(): boolean {
  try {
    return published.publicKey.equals(keysByX25519([published.secretKey])[0]!)
  } catch {
    return false
  }
}

/** The public keys of Nano accounts. A Node that has no X25519, or wants keys in another form, takes the longer way. */
export const publicKeysOf: typeof keysByX25519 = isX25519Usable() ? keysByX25519 : (keys) => keys.map(definedKeyOf)
