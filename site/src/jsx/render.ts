import { type ComponentChild, render as renderWithPreact } from 'preact'
import type { Children } from './markup.ts'

/** Shows components in an element of the page, in place of what the server rendered there. */
export const render = (children: Children, place: Element): void => renderWithPreact(children as ComponentChild, place)
