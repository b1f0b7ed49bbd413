import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { BrokenRule, type RejectionReason } from '../verdict.ts'
import { inflateMember } from './inflate-member.ts'
import { readMembers } from './members.ts'
import { type End, type Entry, extraField, unicodePath, zipOf } from './zip-builder.fixture.ts'

const read = (bytes: Buffer) => readMembers(bytes).map((member) => ({ ...member, content: inflateMember(member) }))
const namesIn = (bytes: Buffer) => read(bytes).map(({ name }) => name)
const refuses = (bytes: Buffer, reason: RejectionReason, what: string) =>
  throws(() => read(bytes), { name: 'BrokenRule', reason } as object, what)

const file: Entry = { name: 'a.txt', content: 'hello hello hello' }
const mode = (bits: number) => (bits << 16) >>> 0

test('ordinary archives of many writers are read', () => {
  const ordinary: [string, Entry[], End?][] = [
    ['stored and deflated', [file, { name: 'b/c.txt', content: 'x', stored: true }]],
    ['directories, also as an empty deflate stream', [{ name: 'd/', stored: true }, { name: 'e/' }, file]],
    [
      'sizes behind the data, with a signature',
      [
        { ...file, descriptor: 'signed' },
        { ...file, name: 'b' },
      ],
    ],
    ['sizes behind the data, without one', [{ ...file, descriptor: 'bare' }]],
    ['sizes at both places', [{ ...file, descriptor: 'signed', local: { sizeBytes: 17 } }]],
    ['empty files', [{ name: 'a' }, { name: 'b', stored: true }]],
    ['a version that is needed for nothing', [{ ...file, version: 45 }]],
    ['a comment', [file], { comment: Buffer.from('made by hand') }],
    ['times and owners', [{ ...file, extra: extraField(0x5455, Buffer.alloc(5)) }]],
    ['the same name twice told', [{ ...file, extra: unicodePath('a.txt', 'a.txt') }]],
    [
      'modes of files and directories',
      [
        { ...file, attributes: mode(0o100644) },
        { name: 'd/', attributes: mode(0o40755) },
      ],
    ],
    [
      'dots in names',
      [
        { ...file, name: '..a' },
        { ...file, name: 'b..c/d...e' },
      ],
    ],
  ]
  for (const [what, entries, end] of ordinary) {
    deepEqual(
      namesIn(zipOf(entries, end)),
      entries.map(({ name }) => String(name)),
      what,
    )
  }
  equal(read(zipOf([file]))[0]!.content.toString(), 'hello hello hello')
})

test('names are UTF-8, or of the old code page', () => {
  deepEqual(namesIn(zipOf([{ ...file, name: 'été/日本.txt', flags: 0x800 }])), ['été/日本.txt'])
  deepEqual(namesIn(zipOf([{ ...file, name: 'été.txt' }])), ['été.txt'])
  deepEqual(namesIn(zipOf([{ ...file, name: Buffer.from('caf\x82.txt', 'latin1') }])), ['café.txt'])
  refuses(zipOf([{ ...file, name: Buffer.from('caf\x82.txt', 'latin1'), flags: 0x800 }]), 'unsafe-path', 'not UTF-8')
})

test('a name that could lead elsewhere is refused', () => {
  const unsafe = [
    ...['../a', 'a/../../b', 'a/..', '..', '.', 'a/./b', './a', '/etc/passwd', '//host/a', 'a//b', 'a/..//', ''],
    ...[
      'C:/a',
      'c:a',
      'a:b',
      '..\\a',
      'a\\b',
      '\\\\host\\a',
      'a\0b',
      'a\nb',
      'a\x7fb',
      'a\u0085b',
      'a\u202eb',
      'a\u2066b',
    ],
    ...[
      'con',
      'NUL.txt',
      'a/aux',
      'com1.log',
      'LPT9',
      'a ',
      'a.',
      'a /b',
      'a./b',
      `${'x'.repeat(256)}`,
      'y/'.repeat(600),
    ],
  ]
  for (const name of unsafe) refuses(zipOf([{ ...file, name }]), 'unsafe-path', JSON.stringify(name))
  refuses(zipOf([{ ...file, extra: unicodePath('a.txt', '../a') }]), 'unsafe-path', 'a second name')
  refuses(zipOf([{ ...file, extra: unicodePath('b.txt', 'a.txt') }]), 'unsafe-path', 'a second name for another')
  refuses(zipOf([{ ...file, extra: unicodePath('a.txt', 'b'), centralExtra: Buffer.alloc(0) }]), 'unsafe-path', 'local')
  refuses(zipOf([{ name: 'd/', content: 'data' }]), 'unsafe-path', 'a directory with data')
})

test('one name is used once, however it is written', () => {
  const pairs = [
    ...[
      ['a', 'a'],
      ['a', 'A'],
      ['é', 'e\u0301'],
      ['ÉTÉ', 'e\u0301te\u0301'],
      ['a', 'a/b'],
      ['a/b', 'a/b/'],
      ['D', 'd/e'],
      ['s', 'ſ'],
      ['σ', 'ς'],
      ['μ', 'µ'],
      ['k', '\u212a'],
    ],
    ['d/', 'D/'],
  ] as [string, string][]
  for (const [one, other] of pairs) {
    refuses(zipOf([{ name: one }, { name: other }]), 'duplicate-name', `${one} and ${other}`)
    refuses(zipOf([{ name: other }, { name: one }]), 'duplicate-name', `${other} and ${one}`)
  }
  equal(namesIn(zipOf([{ name: 'd/' }, { name: 'd/e' }, { name: 'd/f/g' }])).length, 3)
  equal(namesIn(zipOf([{ name: 'Maße' }, { name: 'Masse' }, { name: 'sınıf' }, { name: 'sinif' }])).length, 4)
})

test('only plain files and directories, stored or deflated, in clear', () => {
  const wrong: [RejectionReason, Partial<Entry>][] = [
    ['encrypted', { flags: 1 }],
    ['encrypted', { flags: 0x41 }],
    ['encrypted', { flags: 0x2000 }],
    ['encrypted', { method: 99 }],
    ['encrypted', { extra: extraField(0x9901, Buffer.alloc(7)) }],
    ['encrypted', { local: { flags: 1 } }],
    ['method', { method: 12 }],
    ['method', { method: 9 }],
    ['method', { local: { method: 14 } }],
    ['header-mismatch', { flags: 0x10 }],
    ['header-mismatch', { version: 64 }],
    ['zip64', { extra: extraField(1, Buffer.alloc(16)) }],
    ['zip64', { extra: extraField(1, Buffer.alloc(16)), centralExtra: Buffer.alloc(0) }],
    ['zip64', { extra: Buffer.alloc(0), centralExtra: extraField(1, Buffer.alloc(8)) }],
    ['zip64', { sizeBytes: 0xffffffff }],
    ['multi-disk', { disk: 1 }],
    ['symlink', { attributes: mode(0o120777) }],
    ['special-file', { attributes: mode(0o020644) }],
    ['special-file', { attributes: mode(0o060644) }],
    ['special-file', { attributes: mode(0o010644) }],
    ['special-file', { attributes: mode(0o140644) }],
    ['special-file', { attributes: mode(0o104755) }],
    ['special-file', { attributes: mode(0o040755) }],
    ['special-file', { attributes: 0x10 }],
    ['stored-with-descriptor', { stored: true, descriptor: 'signed' }],
  ]
  for (const [reason, change] of wrong) refuses(zipOf([{ ...file, ...change }]), reason, JSON.stringify(change))
})

test('directory, local headers and data agree', () => {
  const wrong: [RejectionReason, Partial<Entry>][] = [
    ['header-mismatch', { local: { name: 'b.txt' } }],
    ['header-mismatch', { local: { name: '../a.txt' } }],
    ['header-mismatch', { local: { crc: 1 } }],
    ['header-mismatch', { local: { sizeBytes: 5 } }],
    ['header-mismatch', { local: { compressedBytes: 5 } }],
    ['header-mismatch', { local: { flags: 2 } }],
    ['header-mismatch', { local: { method: 0 } }],
    ['prepended-data', { local: { signature: 0x04034b51 } }],
    ['header-mismatch', { descriptor: 'signed', local: { sizeBytes: 5 } }],
    ['header-mismatch', { extra: Buffer.from([1, 2, 200, 0, 5]) }],
    ['size-mismatch', { stored: true, sizeBytes: 16 }],
    ['size-mismatch', { sizeBytes: 16 }],
    ['size-mismatch', { sizeBytes: 18 }],
    ['hidden-data', { compressedBytes: 3 }],
    ['overlap', { compressedBytes: 100 }],
    ['corrupt-data', { crc: 1 }],
    ['corrupt-data', { compressed: Buffer.from('no deflate stream at all') }],
    ['size-mismatch', { compressed: Buffer.concat([deflateRawSync('hello hello hello'), Buffer.alloc(3)]) }],
  ]
  for (const [reason, change] of wrong) refuses(zipOf([{ ...file, ...change }]), reason, JSON.stringify(change))
})

test('members lie side by side from the first byte to the directory', () => {
  const two = [file, { ...file, name: 'b' }]
  refuses(zipOf([{ ...file, before: Buffer.from('#!/bin/sh\n') }]), 'prepended-data', 'a stub')
  refuses(zipOf([file, { ...file, name: 'b', before: Buffer.alloc(9) }]), 'hidden-data', 'a gap')
  refuses(zipOf([file, { ...file, name: 'b', before: zipOf([file]) }]), 'hidden-data', 'an archive in a gap')
  refuses(zipOf(two, { beforeDirectory: Buffer.alloc(4) }), 'hidden-data', 'before the directory')
  refuses(zipOf(two, { beforeEnd: Buffer.alloc(4) }), 'hidden-data', 'behind the directory')
  refuses(zipOf([file, { ...file, name: 'b', offset: 0 }]), 'overlap', 'two entries, one place')
  refuses(zipOf([file, { ...file, name: 'b', offset: 10 }]), 'overlap', 'overlapping')
  refuses(zipOf([file, { ...file, name: 'b', offset: 9999 }]), 'eocd-mismatch', 'outside')
  refuses(Buffer.concat([zipOf([file]), Buffer.from('more')]), 'trailing-data', 'behind the end')
  refuses(Buffer.concat([Buffer.from('MZ..'), zipOf([file])]), 'prepended-data', 'a program before it')
})

test('there is one end, and it tells the truth', () => {
  const whole = zipOf([file, { ...file, name: 'b' }])
  refuses(zipOf([]), 'no-files', 'nothing in it')
  refuses(whole.subarray(0, -22), 'truncated', 'no end')
  refuses(whole.subarray(0, -1), 'trailing-data', 'a cut end')
  refuses(Buffer.alloc(0), 'not-zip', 'nothing')
  refuses(Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), 'not-zip', '7z')
  refuses(zipOf([file], { comment: zipOf([file]) }), 'ambiguous-eocd', 'an archive in the comment')
  refuses(zipOf([file], { comment: Buffer.from('PK\x01\x02') }), 'ambiguous-eocd', 'a signature in the comment')
  refuses(zipOf([file, { name: 'b' }], { entries: 1 }), 'eocd-mismatch', 'fewer entries')
  refuses(zipOf([file], { entries: 2 }), 'eocd-mismatch', 'more entries')
  refuses(zipOf([file], { entriesHere: 2 }), 'multi-disk', 'other entries')
  refuses(zipOf([file], { disk: 1 }), 'multi-disk', 'another disk')
  refuses(zipOf([file], { directoryLength: 0xffffffff }), 'zip64', 'a large directory')
  refuses(zipOf([file], { directoryStart: 0 }), 'hidden-data', 'another directory')
  refuses(
    zipOf([file], { beforeEnd: Buffer.concat([Buffer.from('PK\x06\x07'), Buffer.alloc(16)]) }),
    'zip64',
    'a locator',
  )
})

test('limits are exact, and hold for the bytes that come out', () => {
  const files = (count: number): Entry[] => Array.from({ length: count }, (_, i) => ({ name: `f${i}` }))
  equal(read(zipOf([...files(128), { name: 'd/' }])).length, 129)
  refuses(zipOf(files(129)), 'too-many-files', '129 files')
  refuses(zipOf(Array.from({ length: 1153 }, (_, i) => ({ name: `d${i}/` }))), 'too-many-files', 'directories')

  // Noise of a few bits compresses about 90:1 at most.
  const dull = (length: number) =>
    Buffer.alloc(length, Buffer.from(Array.from({ length: 251 }, (_, i) => (i * i) % 251)))
  const stored = (length: number, name = 'big'): Entry => ({ name, content: dull(length), stored: true })
  equal(read(zipOf([stored(16 * 1024 * 1024)]))[0]!.content.length, 16 * 1024 * 1024)
  refuses(zipOf([stored(16 * 1024 * 1024 + 1)]), 'member-too-large', 'a large member')
  const quarter = Array.from({ length: 4 }, (_, i) => stored(16 * 1024 * 1024, `q${i}`))
  equal(read(zipOf(quarter)).length, 4)
  refuses(zipOf([...quarter, { name: 'x', content: 'x' }]), 'total-too-large', 'one byte more')

  const zeros = (length: number): Entry => ({ name: 'zeros', content: Buffer.alloc(length) })
  const packed = deflateRawSync(Buffer.alloc(100_000)).length
  ok(packed < 1000)
  refuses(zipOf([zeros(100_000)]), 'ratio', 'a member over 100:1')
  refuses(zipOf([{ ...zeros(100_000), sizeBytes: 500 }]), 'size-mismatch', 'which says it is smaller')
  refuses(zipOf([zeros(100_000), stored(1_000_000)]), 'ratio', 'hidden beside a large one')
})

test('damage anywhere is refused or changes nothing, and never breaks the reader', () => {
  const original = zipOf([
    file,
    { name: 'd/' },
    { ...file, name: 'd/b', descriptor: 'signed' },
    { name: 'e', stored: true },
  ])
  const contents = (members: readonly { content: Buffer }[]) => members.map(({ content }) => content.toString())
  const before = contents(read(original))
  let seed = 20261115
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  for (let i = 0; i < 20_000; i++) {
    const damaged = Buffer.from(original)
    for (let changes = 1 + random(3); changes > 0; changes--) damaged[random(damaged.length)] = random(256)
    try {
      const found = read(random(4) === 0 ? damaged.subarray(0, random(damaged.length)) : damaged)
      // Times, comments and permissions may differ, nothing else.
      deepEqual(contents(found), before)
    } catch (error) {
      ok(error instanceof BrokenRule, `seed step ${i}: ${(error as Error).stack}`)
    }
  }
})
