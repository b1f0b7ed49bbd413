import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { slugOf } from './slug.ts'

test('a slug has letters and digits of any script; only Latin letters lose their accents', () => {
  const expected = [
    ['On engines', 'on-engines'],
    ['  C++ & Rust: 2 of a kind!  ', 'c-rust-2-of-a-kind'],
    ["Don't panic, it’s fine", 'dont-panic-its-fine'],
    ['Crème brûlée à Tromsø, Łódź, Straße', 'creme-brulee-a-tromso-lodz-strasse'],
    ['İstanbul ve Iğdır', 'istanbul-ve-igdir'],
    ['Ｆｕｌｌ ｗｉｄｔｈ ﬁ', 'full-width-fi'],
    ['Мой ёж', 'мой-ёж'],
    ['हिन्दी में', 'हिन्दी-में'],
    ['ภาษาไทย', 'ภาษาไทย'],
    ['が、ぱ', 'が-ぱ'],
    ['한국어 글', '한국어-글'],
    ['深海', '深海'],
    ['مرحبا بالعالم', 'مرحبا-بالعالم'],
    ['❤️ 1️⃣ love', '1-love'],
    ['🚂', ''],
    ['…', ''],
  ]
  for (const [title, slug] of expected) equal(slugOf(title!), slug!.normalize('NFC'), title)
})

test('a long title is cut, and the cut does not end in a hyphen', () => {
  equal(slugOf('a'.repeat(100)), 'a'.repeat(80))
  equal(slugOf(`${'a'.repeat(79)} b`), 'a'.repeat(79))
  equal([...slugOf('深'.repeat(100))].length, 80)
})
