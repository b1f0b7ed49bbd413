import type { Reaction, ReactionSummary } from '@pennypost/contract/reaction'
import { type Html, html } from '../platform/http/page.ts'

const signs: readonly [Reaction, string, string][] = [
  ['thumbs_up', '👍', 'Thumbs up'],
  ['heart', '❤️', 'Heart'],
  ['fire', '🔥', 'Fire'],
  ['clap', '👏', 'Clap'],
]

/** How many reacted how. Without a script they are figures; with one, buttons. */
export const reactionButtons = (counts: ReactionSummary['counts']): Html =>
  html`<span class="reactions" role="group" aria-label="Reactions" data-reactions>${signs.map(
    ([reaction, sign, words]) =>
      html`<button type="button" data-reaction="${reaction}" aria-pressed="false" title="${words}" disabled><span aria-hidden="true">${sign}</span><span class="unseen">${words}:</span> <span data-count>${counts[reaction]}</span></button>`,
  )}</span>`
