import type { Reaction, ReactionSummary } from '@pennypost/contract/reaction'
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
  words.every(([reaction]) => counts[reaction] === 0) ? untouched : buttonsOf(counts)

const buttonsOf = (counts: Counts): Html =>
  html`<span class="reactions" role="group" aria-label="Reactions" data-reactions>${words.map(
    ([reaction, name]) =>
      html`<button type="button" data-reaction="${reaction}" aria-pressed="false" title="${name}" disabled><span data-sign="${reaction}" aria-hidden="true"></span><span class="unseen">${name}</span> <span data-count>${counts[reaction] > 0 && counts[reaction]}</span></button>`,
  )}</span>`

// Most comments have none.
const untouched = buttonsOf({ thumbs_up: 0, heart: 0, fire: 0, clap: 0 })
