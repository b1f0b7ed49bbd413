import type { JSX as PreactJsx } from 'preact'
import { escapeHtml } from '../escape-html.ts'
import { type Children, type Markup, rawMarkup, renderToString } from './markup.ts'

// The functions that compiled JSX calls on the server: each element becomes text immediately, inner elements first. There is
// no tree, no state and no context. In a browser `#jsx/jsx-runtime` is Preact's (see `imports` in package.json).

// biome-ignore lint/suspicious/noExplicitAny: TypeScript infers the properties of a component from its parameter.
type Component = (props: any) => Children

/** How TypeScript checks JSX: elements and attributes as Preact declares them, the result as our own opaque type. */
export declare namespace JSX {
  type Element = Markup
  type ElementType = keyof IntrinsicElements | Component
  interface ElementChildrenAttribute {
    children: unknown
  }
  interface IntrinsicAttributes {
    key?: string | number
  }
  type IntrinsicElements = PreactJsx.IntrinsicElements
}

type Attribute = string | number | boolean | null | undefined | ((event: never) => unknown)

interface Props {
  readonly [name: string]: Attribute | Children | { readonly __html: string }
}

const voidElements = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

export function jsx(type: string | Component, props: Props): Markup {
  if (typeof type === 'function') return type(props) as Markup
  let open = `<${type}`
  let content = ''
  for (const name in props) {
    const value = props[name]
    if (name === 'children') content = renderToString(value as Children)
    else if (typeof value === 'string') open += ` ${name}="${escapeHtml(value)}"`
    else if (typeof value === 'number') open += ` ${name}="${value}"`
    else if (typeof value === 'boolean') open += booleanAttribute(name, value)
    else if (name === 'dangerouslySetInnerHTML') content = (value as { __html: string }).__html
    // Functions are event listeners, which only browsers have.
  }
  return rawMarkup(content === '' && voidElements.has(type) ? `${open}>` : `${open}>${content}</${type}>`)
}

/**
 * Renders a boolean attribute like Preact: `aria-*` and `data-*` say `true` or `false`, any other attribute is there or
 * not.
 */
function booleanAttribute(name: string, value: boolean): string {
  if (name[4] === '-') return ` ${name}="${value}"`
  return value ? ` ${name}` : ''
}

export { jsx as jsxs }

export const Fragment = ({ children }: { readonly children?: Children }): Markup => rawMarkup(renderToString(children))
