import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { assert, property, uint8Array } from 'fast-check'
import { parseBaseAddress } from './parse-base-address.ts'

// The examples of EIP-55: all upper case, all lower case, and mixed.
const published = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

for (const address of published) {
  test(`${address} is itself, and what one case of it means`, () => {
    equal(parseBaseAddress(address), address)
    equal(parseBaseAddress(address.toLowerCase()), address)
    equal(parseBaseAddress(`0x${address.slice(2).toUpperCase()}`), address)
  })
}

test('the USDC contract has its well-known checksummed address', () => {
  equal(parseBaseAddress('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'), '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
})

test('mixed case with one wrong letter is refused', () => {
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  for (let at = 2; at < address.length; at += 1) {
    const letter = address.charAt(at)
    const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
    if (flipped === letter) continue
    equal(parseBaseAddress(address.slice(0, at) + flipped + address.slice(at + 1)), undefined, `at ${at}`)
  }
})

test('text that only resembles an address is refused', () => {
  const digits = '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const wrong = [
    '',
    '0x',
    digits,
    `0X${digits}`,
    `0x${digits}0`,
    `0x${digits.slice(1)}`,
    `0x${digits} `,
    ` 0x${digits}`,
  ]
  wrong.push(`0x${digits}\n`, `0x${'g'.repeat(40)}`, `0x${'０'.repeat(40)}`, 'vitalik.eth', `eip155:8453:0x${digits}`)
  for (const text of wrong) equal(parseBaseAddress(text), undefined, JSON.stringify(text))
})

test('every address has one checksummed form, which parses to itself', () => {
  assert(
    property(uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const lower = `0x${Buffer.from(bytes).toString('hex')}`
      const checksummed = parseBaseAddress(lower)!
      equal(checksummed.toLowerCase(), lower)
      equal(parseBaseAddress(checksummed), checksummed)
    }),
  )
})
