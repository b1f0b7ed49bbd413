import type { TestContext } from 'node:test'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { SaxesParser } from 'saxes'
import { paidPost, payable, publish } from '../posts/posts.fixture.ts'
import type { Creator, PersonOptions } from '../test/people.ts'
import { type OpenWorldOptions, openWorld, type World } from '../test/world.ts'

export const paidMarker = 'nobody-may-see-this-before-paying'

/** A paid post with all its fields. */
export const paid = {
  ...paidPost,
  freeContentMarkdown: '# The free part\n\nHello **world**, [below](#the-free-part) and [docs](/docs).',
  paidContentMarkdown: paidMarker,
  language: 'en-GB',
  creationMethod: 'ai_assisted' as const,
  creationDetails: 'Spelling',
}

export const authorIn = async (t: TestContext, wish: PersonOptions = {}, options: OpenWorldOptions = {}) => {
  const world = await openWorld(t, options)
  return { world, author: await authorOf(world, wish) }
}

export const authorOf = async (world: World, wish: PersonOptions = {}): Promise<Creator> =>
  payable(await world.creator(wish))

export const publishes = (author: Creator, input: object = {}) => publish(author, { ...paid, ...input })

/** A GET as a browser, a feed reader or a crawler sends it. */
export async function visit(world: World, url: string, headers: Record<string, string> = {}) {
  const {
    statusCode,
    headers: given,
    payload,
  } = await world.server.inject({
    method: 'GET',
    url,
    headers: { host: new URL(world.origin).host, ...headers },
  })
  return { status: statusCode, headers: given as Record<string, string | undefined>, text: payload }
}

type Node = DefaultTreeAdapterTypes.ChildNode
export type Element = DefaultTreeAdapterTypes.Element

/** The parse errors of a page, as the HTML standard names them. */
export function markupErrors(html: string): string[] {
  const errors: string[] = []
  parse(html, { onParseError: ({ code }) => errors.push(code) })
  return errors
}

/** All elements of a page, parsed as a browser does. */
export function elementsOf(html: string): Element[] {
  const found: Element[] = []
  const open: Node[] = [...parse(html).childNodes]
  for (let node = open.shift(); node; node = open.shift()) {
    if ('tagName' in node) found.push(node)
    if ('childNodes' in node) open.unshift(...node.childNodes)
  }
  return found
}

export const attributeOf = (element: Element | undefined, name: string): string | undefined =>
  element?.attrs.find((attribute) => attribute.name === name)?.value

export const textOf = (element: Element | undefined): string =>
  element?.childNodes.map((node) => ('value' in node ? node.value : 'tagName' in node ? textOf(node) : '')).join('') ??
  ''

export interface XmlElement {
  readonly name: string
  readonly attributes: Record<string, string>
  readonly children: XmlElement[]
  text: string
}

/** A strict XML parser: throws on anything that is not well-formed. */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const parser = new SaxesParser({ xmlns: true, forceXMLVersion: true, defaultXMLVersion: '1.0' } as const)
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const plain = Object.fromEntries(Object.entries(attributes).map(([key, { value }]) => [key, value]))
    const element: XmlElement = { name, attributes: plain, children: [], text: '' }
    open.at(-1)!.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.on('text', (part) => {
    open.at(-1)!.text += part
  })
  parser.on('cdata', (part) => {
    open.at(-1)!.text += part
  })
  parser.write(text).close()
  return root.children[0]!
}

export const childrenOf = (element: XmlElement, name: string): XmlElement[] =>
  element.children.filter((child) => child.name === name)

export const childOf = (element: XmlElement, name: string): XmlElement => {
  const [found] = childrenOf(element, name)
  if (!found) throw new Error(`${element.name} has no ${name}`)
  return found
}
