import type { Reaction, ReactionSummary } from '@pennypost/contract/reaction'
import { signInFirst, wordsOf } from '../api.ts'
import { find, say, the } from '../dom.ts'
import type { Account } from '../session.ts'

type Send = (reaction: Reaction | null) => Promise<{ readonly summary: ReactionSummary }>

/** Makes figures buttons: pressing one reacts, pressing it again takes it back. */
export function enliven(
  group: HTMLElement,
  viewer: Account | null,
  summary: ReactionSummary | undefined,
  send: Send,
): void {
  const buttons = [...group.querySelectorAll<HTMLButtonElement>('[data-reaction]')]
  const draw = ({ counts, viewerReaction }: ReactionSummary) => {
    for (const button of buttons) {
      const reaction = button.dataset.reaction as Reaction
      the('[data-count]', button).textContent = counts[reaction] > 0 ? String(counts[reaction]) : ''
      button.setAttribute('aria-pressed', String(reaction === viewerReaction))
    }
  }
  if (summary) draw(summary)
  for (const button of buttons) {
    button.disabled = false
    button.addEventListener('click', async () => {
      if (!viewer) return signInFirst()
      const isMine = button.getAttribute('aria-pressed') === 'true'
      try {
        draw((await send(isMine ? null : (button.dataset.reaction as Reaction))).summary)
      } catch (error) {
        say(wordsOf(error))
      }
    })
  }
}

export const reactionsIn = (place: ParentNode): HTMLElement | null => find('[data-reactions]', place)
