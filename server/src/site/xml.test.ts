import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseXml } from './site-world.fixture.ts'
import { type Xml, xml, xmlDocument } from './xml.ts'

test('whatever text is given, the document is well-formed and the text is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const root = parseXml(xmlDocument(xml`<a b="${text}">${text}</a>`))
      // A parser turns line ends and, in attributes, white space into what XML says they are.
      const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g
      const expected = text.replace(forbidden, ' ').replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
      equal(root.text, expected.replace(/\r\n?/g, '\n').replace(/\p{Surrogate}/gu, '\ufffd'))
      deepEqual(Object.keys(root.attributes), ['b'])
    }),
  )
})

test('no text ends its element, its quotes or a CDATA section', () => {
  const hostile = `]]></a>"'<!--&amp;`
  const root = parseXml(xmlDocument(xml`<a b="${hostile}">${[hostile, xml`<c/>`]}${undefined}${false}${0}</a>`))
  deepEqual([root.text, root.attributes.b, root.children.length], [`${hostile}0`, hostile, 1])
})

test('what only looks like XML is not XML', () => {
  const forged = JSON.parse('{"text":"<evil/>"}') as Xml
  throws(() => xml`<a>${forged}</a>`)
})
