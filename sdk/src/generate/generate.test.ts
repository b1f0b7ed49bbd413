import { deepEqual, equal } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { contract } from '@pennypost/contract/contract'
import { generate } from './generate.ts'
import { typeOf } from './schema-type.ts'

test('what was made from the contract is current; `npm run generate` makes it again', async () => {
  for (const [name, text] of generate(contract)) {
    const file = fileURLToPath(new URL(`../../src/generated/${name}`, import.meta.url))
    equal(await readFile(file, 'utf8'), text, name)
  }
})

test('a schema becomes the type that a person would write', () => {
  const types: [schema: Parameters<typeof typeOf>[0], type: string][] = [
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['XNO', 'USDC'] }, "'XNO' | 'USDC'"],
    [{ const: true }, 'true'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "('a' | 'b')[]"],
    [{ type: 'array', items: { $ref: '#/components/schemas/Post' } }, 'Post[]'],
    [{ anyOf: [{ $ref: '#/components/schemas/Post' }, { type: 'null' }] }, 'Post | null'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'string', format: 'binary' }, 'Uint8Array'],
    [{}, 'unknown'],
    [
      {
        type: 'object',
        properties: { 'a-b': { type: 'string' }, c: { type: 'boolean', description: 'Yes or no.' } },
        required: ['c'],
        oneOf: [{ required: ['a-b'] }],
      },
      "{\n  'a-b'?: string | undefined\n  /** Yes or no. */\n  c: boolean\n}",
    ],
  ]
  deepEqual(
    types.map(([schema]) => typeOf(schema)),
    types.map(([, type]) => type),
  )
})
