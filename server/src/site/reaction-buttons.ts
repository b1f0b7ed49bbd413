import type { Reaction, ReactionSummary } from '@pennypost/contract/reaction-summary'
import { type Html, html } from '../platform/http/page.ts'

const words: readonly [Reaction, string][] = [
  ['thumbs_up', 'Thumbs up'],
  ['heart', 'Heart'],
  ['fire', 'Fire'],
  ['clap', 'Clap'],
]

type Counts = ReactionSummary['counts']

/** How many reacted how. Without a script they are figures; with one, buttons. */
export const reactionButtons = (counts: Counts): Html =>
  html`<span class="reactions" role="group" aria-label="Reactions" data-reactions>${words.map(
    ([reaction, name]) =>
      html`<button type="button" data-reaction="${reaction}" aria-pressed="false" title="${name}" disabled>${sign(reaction, name)}<span data-count>${counts[reaction] > 0 && counts[reaction]}</span></button>`,
  )}</span>`

/** The same for whoever only reads: what somebody chose. Most comments have none. */
export const reactionFigures = (counts: Counts): Html | false => {
  const chosen = words.filter(([reaction]) => counts[reaction] > 0)
  return (
    chosen.length > 0 &&
    html`<span class="reactions" role="group" aria-label="Reactions">${chosen.map(
      ([reaction, name]) => html`<span title="${name}">${sign(reaction, name)}${counts[reaction]}</span>`,
    )}</span>`
  )
}

const sign = (reaction: Reaction, name: string): Html =>
  html`<span data-sign="${reaction}" aria-hidden="true"></span><span class="visually-hidden">${name}</span> `
