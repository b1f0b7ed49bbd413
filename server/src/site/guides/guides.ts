import { readWrittenDocs } from '../../platform/operations/written-docs.ts'

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** A heading with the text that follows it, as plain text. */
export interface Section extends Heading {
  readonly body: string
}

/** A guide as the build wrote it, with placeholders instead of our origin. */
export interface Guide {
  /** The last part of its URL. */
  readonly slug: string
  /** The heading of the list that it is in. */
  readonly group: string
  readonly title: string
  readonly description: string
  /** Links lead to the Markdown of other guides. */
  readonly markdown: string
  readonly html: string
  readonly sections: readonly Section[]
}

let read: readonly Guide[] | undefined

/** Every guide, in the order of the list in docs/README.md. Read once: they do not change while the process runs. */
export function listGuides(): readonly Guide[] {
  read ??= JSON.parse(readWrittenDocs('guides')) as readonly Guide[]
  return read
}
