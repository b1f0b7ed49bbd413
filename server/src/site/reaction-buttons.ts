import type { Reaction, ReactionSummary } from '@pennypost/contract/reaction-summary'
import { type Html, html } from '../platform/http/page.ts'

const words: readonly [Reaction, string][] = [
  ['thumbs_up', 'Thumbs up'],
  ['heart', 'Heart'],
  ['fire', 'Fire'],
  ['clap', 'Clap'],
]

type Counts = ReactionSummary['counts']

/** The reactions with their counts, as buttons that the script activates. */
export const reactionButtons = (counts: Counts): Html =>
  html`<span class="reactions" role="group" aria-label="Reactions" data-reactions>${words.map(
    ([reaction, name]) =>
      html`<button type="button" data-reaction="${reaction}" aria-pressed="false" title="${name}" disabled>${sign(reaction, name)}<span data-count>${counts[reaction] > 0 && counts[reaction]}</span></button>`,
  )}</span>`

/** Only the reactions that were used, as figures; false if there are none, as with most comments. */
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
