import { createRequire } from 'node:module'
import { hostileJson, hostileNumbers, hostileTexts } from './hostile-values.mjs'

// fast-check makes texts that match a pattern. It is a dependency of the server's tests, so it is resolved from there.
const fc = createRequire(new URL('../../server/package.json', import.meta.url))('fast-check')

/**
 * Makes JSON values from the schemas of an OpenAPI document. `known(name, random)` may return a value that the service
 * knows for a field of this name: the id of an existing post for `postId`.
 */
export function schemaValues(document, known) {
  const resolve = (schema) =>
    schema.$ref ? resolve(document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]) : schema

  function valid(given, name, random, depth = 0) {
    const schema = resolve(given)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return random.pick(schema.enum)
    if (schema.properties && schema.oneOf) return object(oneWay(schema, random), random, depth)
    if (schema.oneOf || schema.anyOf) return valid(random.pick(schema.oneOf ?? schema.anyOf), name, random, depth)
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => valid(part, name, random, depth)))
    const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
    if (type === 'null') return null
    if (type === 'boolean') return random.chance(0.5)
    if (type === 'integer' || type === 'number') return number(schema, type, random)
    if (type === 'string') return text(schema, name, random)
    if (type === 'array') {
      const [min, max] = [schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, 3)]
      const length = random.int(min, Math.max(min, max))
      return Array.from({ length }, () => valid(schema.items ?? {}, name.replace(/s$/, ''), random, depth + 1))
    }
    if (type === 'object' || schema.properties) return object(schema, random, depth)
    return random.pick(['text', 1, null])
  }

  /** Of an object whose `oneOf` lists the fields that exclude each other: one of the ways to write it. */
  function oneWay({ properties, required = [], oneOf }, random) {
    const { required: chosen = [] } = random.pick(oneOf)
    const excluded = oneOf.flatMap((option) => option.required ?? []).filter((name) => !chosen.includes(name))
    const left = Object.entries(properties).filter(([name]) => !excluded.includes(name))
    return { properties: Object.fromEntries(left), required: [...required, ...chosen] }
  }

  function object({ properties = {}, required = [] }, random, depth) {
    const share = random.pick([0, 0.3, 0.7, 1])
    const fields = Object.entries(properties).filter(
      ([name]) => required.includes(name) || (depth < 6 && random.chance(share)),
    )
    return Object.fromEntries(fields.map(([name, field]) => [name, valid(field, name, random, depth + 1)]))
  }

  const number = ({ minimum = 0, maximum = 1000 }, type, random) => {
    const value = random.pick([minimum, maximum, minimum + random.int(0, Math.min(50, maximum - minimum))])
    return type === 'integer' ? Math.ceil(value) : value
  }

  function text(schema, name, random) {
    // Most names and mailboxes are to be new ones.
    const existing = random.chance(/^(handle|email)$/.test(name) ? 0.25 : 0.75) ? known(name, random) : undefined
    if (existing !== undefined) return existing
    const { format, pattern, minLength = 0, maxLength = 40 } = schema
    if (format === 'uuid') return random.uuid()
    if (format === 'date-time') return new Date(1.79e12 + random.int(-4e7, 4e7) * 1000).toISOString()
    if (format === 'date') return `2026-${String(random.int(1, 12)).padStart(2, '0')}-15`
    if (format === 'email') return `person${random.int(0, 1e6)}@example.com`
    if (pattern) return random.pick(samplesOf(pattern, minLength, schema.maxLength ?? 255))
    const length = random.pick([minLength, Math.min(maxLength, 2000), random.int(minLength, Math.min(maxLength, 60))])
    return plainText(length, random)
  }

  /** A value just at, or just beyond, a limit of the schema, or of another type altogether. */
  function broken(given, name, random) {
    const schema = resolve(given)
    const options = [
      () => random.pick(hostileTexts),
      () => random.pick(hostileNumbers),
      () => structuredClone(random.pick(hostileJson)),
    ]
    const { maxLength, minLength, maximum, minimum, maxItems } = schema
    if (maxLength !== undefined && maxLength < 300_000)
      options.push(
        () => plainText(maxLength, random),
        () => plainText(maxLength + 1, random),
        () => '🜁'.repeat(Math.ceil(maxLength / 2)),
        () => random.pick(hostileTexts).padEnd(Math.min(maxLength, 4000), 'é'),
      )
    if (minLength > 0)
      options.push(
        () => plainText(minLength - 1, random),
        () => ' '.repeat(minLength),
      )
    if (maximum !== undefined)
      options.push(
        () => maximum + 1,
        () => maximum - 0.5,
        () => String(maximum),
      )
    if (minimum !== undefined)
      options.push(
        () => minimum - 1,
        () => minimum + 1e-9,
      )
    if (maxItems !== undefined)
      options.push(() => Array.from({ length: maxItems + 1 }, () => valid(schema.items ?? {}, name, random)))
    if (schema.format === 'uuid')
      options.push(
        () => random.uuid(),
        () => random.uuid().toUpperCase(),
      )
    if (schema.type === 'array')
      options.push(
        () => Array(1000).fill(null),
        () => [random.pick(hostileTexts)],
      )
    return random.pick(options)()
  }

  const samples = new Map()
  function samplesOf(pattern, minLength, maxLength) {
    const key = `${pattern} ${minLength} ${maxLength}`
    if (!samples.has(key)) {
      // Classes such as [^\s] would also give half of a surrogate pair; those are among the hostile texts.
      const made = fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 60, seed: 1 })
      const fitting = made.filter((text) => text.length >= minLength && text.length <= maxLength)
      samples.set(key, fitting.length > 0 ? fitting : made)
    }
    return samples.get(key)
  }

  return { valid, broken, resolve }
}

const words = 'engine loom thread penny post letter #tag @person **bold** [link](https://example.com) `code` 你好 '
const plainText = (length, random) => {
  const start = random.int(0, words.length - 1)
  return words
    .slice(start)
    .concat(words.repeat(Math.ceil(length / words.length)))
    .slice(0, length)
}
