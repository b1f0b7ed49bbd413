import { deflateRawSync } from 'node:zlib'
import { extraField, unicodePath, zipOf } from '../../server/dist/uploads/screening/zip/zip-builder.fixture.js'
import { marker, mutate } from './mutate.mjs'

const text = Buffer.from('All work and no play makes Jack a dull boy. '.repeat(8))
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

const seeds = [
  zipOf([{ name: 'a.txt', content: text }]),
  zipOf([{ name: 'a.txt', content: text, stored: true }]),
  zipOf([
    { name: 'd/', stored: true },
    { name: 'd/a.txt', content: text },
    { name: 'd/e/b.bin', content: png, stored: true },
  ]),
  zipOf([
    { name: 'a.txt', content: text, descriptor: 'signed' },
    { name: 'b.txt', content: text, descriptor: 'bare' },
  ]),
  zipOf([{ name: 'ä/é.txt', content: text, flags: 0x0800 }]),
  zipOf([{ name: 'a.txt', content: text, extra: unicodePath('a.txt', 'a.txt') }]),
  zipOf([{ name: 'a.txt', content: text, extra: extraField(0x5455, Buffer.alloc(5)) }], {
    comment: Buffer.from('made by hand'),
  }),
  zipOf([
    { name: '__MACOSX/._a', content: 'x' },
    { name: 'a', content: '' },
    { name: '.DS_Store', content: 'x' },
  ]),
  zipOf(Array.from({ length: 12 }, (_, i) => ({ name: `f${i}.txt`, content: `${i}`, stored: i % 2 === 0 }))),
]

const strangeNames = [
  '../a',
  'a/../../b',
  '/etc/passwd',
  'C:\\a',
  'a\\b',
  'a\u0000b',
  'con',
  'NUL.txt',
  'a ',
  'a.',
  'A.TXT',
  'a.txt/b',
  './a',
  'a//b',
  '',
  '\u202etxt.exe',
  'e\u0301.txt',
  'é.txt',
  'x'.repeat(256),
  'ſ.txt',
  's.txt',
  'k.txt',
  'μ',
  'µ',
  'K.txt',
  '..',
  'a/',
  'ß',
  'ẞ',
  '\u200d',
]
const ordinaryNames = ['a.txt', 'b.txt', 'c/d.txt', 'c/e/f.png', 'notes.md', 'd/']

/** Archives that are honest in most fields and lie in a few: headers that disagree, overlaps, repeated entries. */
function craftZip(random) {
  const count = random.pick([1, 1, 2, 2, 3, 5])
  const entries = Array.from({ length: count }, () => craftEntry(random))
  if (random.chance(0.05)) entries.push({ ...random.pick(entries) })
  const end = {}
  if (random.chance(0.1))
    end.comment = random.pick([
      Buffer.from('x'),
      Buffer.from('PK\x05\x06'.padEnd(22, '\0')),
      random.bytes(30),
      Buffer.from(marker),
    ])
  if (random.chance(0.05)) end.entries = random.int(0, 6)
  if (random.chance(0.03)) end.entriesHere = random.int(0, 6)
  if (random.chance(0.03)) end.disk = 1
  if (random.chance(0.04)) end.directoryLength = random.int(0, 300)
  if (random.chance(0.04)) end.directoryStart = random.int(0, 300)
  if (random.chance(0.04)) end.beforeEnd = random.bytes(random.int(1, 30))
  if (random.chance(0.04))
    end.beforeDirectory = random.pick([random.bytes(10), Buffer.from(marker), zipOf([{ name: 'x' }])])
  return zipOf(entries, end)
}

function craftEntry(random) {
  const content = random.pick([
    text,
    png,
    Buffer.alloc(0),
    Buffer.from('x'),
    random.bytes(20),
    Buffer.from(`data:image/png;base64,${marker}`),
  ])
  const entry = { name: random.pick(random.chance(0.15) ? strangeNames : ordinaryNames), content }
  const sometimes = (probability, field, make) => {
    if (random.chance(probability)) entry[field] = make()
  }
  if (!entry.name.endsWith('/') && random.chance(0.5)) entry.name = `${random.int(0, 999)}${entry.name}`
  if (entry.name.endsWith('/')) entry.content = ''
  sometimes(0.3, 'stored', () => true)
  sometimes(0.15, 'descriptor', () => random.pick(['signed', 'bare']))
  sometimes(0.15, 'flags', () => random.pick([0x0800, 0x0800, 2, 4, 6, 1, 0x40, 0x2000, 0x10, 0x8000, 8]))
  sometimes(0.03, 'method', () => random.pick([0, 1, 8, 9, 12, 14, 93, 99]))
  sometimes(0.02, 'crc', () => random.int(0, 0xffffffff))
  sometimes(0.03, 'sizeBytes', () => random.pick([0, 1, content.length + 1, 0xffffffff, 16 * 1024 * 1024 + 1]))
  sometimes(0.03, 'compressedBytes', () =>
    random.pick([0, 1, content.length - 1, content.length + 30, 0xffffffff].map((n) => Math.max(0, n))),
  )
  // Two streams, or bytes after the stream: readers disagree about what the member is.
  sometimes(0.03, 'compressed', () =>
    Buffer.concat([deflateRawSync(content), random.pick([deflateRawSync(content), random.bytes(4)])]),
  )
  sometimes(
    0.1,
    'attributes',
    () => (random.pick([0o100644, 0o40755, 0o120777, 0o104755, 0o20666, 0o10644, 0]) << 16) >>> 0,
  )
  sometimes(0.08, 'extra', () => strangeExtra(random, String(entry.name)))
  sometimes(0.04, 'centralExtra', () => strangeExtra(random, String(entry.name)))
  sometimes(0.05, 'local', () =>
    random.pick([
      { name: 'other.txt' },
      { method: 0 },
      { sizeBytes: 1 },
      { crc: 1 },
      { flags: 0 },
      { compressedBytes: 3 },
      { signature: 0x02014b50 },
    ]),
  )
  sometimes(0.03, 'before', () => random.bytes(random.int(1, 40)))
  sometimes(0.03, 'offset', () => random.int(0, 200))
  sometimes(0.02, 'disk', () => 1)
  sometimes(0.05, 'version', () => random.pick([10, 20, 45, 51, 63, 64, 255, 0x0314]))
  return entry
}

const strangeExtra = (random, name) =>
  random.pick([
    extraField(0x5455, Buffer.alloc(5)),
    unicodePath(name, name),
    unicodePath(name, random.pick(['../x', 'other.txt'])),
    unicodePath('another', name),
    extraField(0x0001, Buffer.alloc(16)),
    extraField(0x9901, Buffer.alloc(7)),
    extraField(0x7875, random.bytes(11)),
    random.bytes(random.int(1, 9)),
    Buffer.concat([unicodePath(name, name), unicodePath(name, '../x')]),
  ])

/** One input: crafted, a mutated seed, or a mutated crafted one. */
export function zipInput(random) {
  const kind = random.weighted({ crafted: 45, mutated: 40, both: 15 })
  if (kind === 'crafted') return craftZip(random)
  return mutate(kind === 'both' ? craftZip(random) : random.pick(seeds), random.pick(seeds), random)
}
