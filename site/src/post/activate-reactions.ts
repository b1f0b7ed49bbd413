import type { Reaction, ReactionSummary } from '@pennypost/contract/reaction-summary'
import { findElement, getElement } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import type { Account } from '../session.ts'
import { showToast } from '../show-toast.ts'

type Send = (reaction: Reaction | null) => Promise<{ readonly summary: ReactionSummary }>

/** Makes the reaction buttons of a page work. Pressing one reacts; pressing it again removes the reaction. */
export function activateReactions(
  group: HTMLElement,
  viewer: Account | null,
  summary: ReactionSummary | undefined,
  send: Send,
): void {
  const buttons = [...group.querySelectorAll<HTMLButtonElement>('[data-reaction]')]
  const draw = ({ counts, viewerReaction }: ReactionSummary) => {
    for (const button of buttons) {
      const reaction = button.dataset.reaction as Reaction
      getElement('[data-count]', button).textContent = counts[reaction] > 0 ? String(counts[reaction]) : ''
      button.setAttribute('aria-pressed', String(reaction === viewerReaction))
    }
  }
  if (summary) draw(summary)
  for (const button of buttons) {
    button.disabled = false
    button.addEventListener('click', async () => {
      if (!viewer) return redirectToSignIn()
      const isMine = button.getAttribute('aria-pressed') === 'true'
      try {
        draw((await send(isMine ? null : (button.dataset.reaction as Reaction))).summary)
      } catch (error) {
        showToast(errorMessage(error))
      }
    })
  }
}

export const findReactions = (place: ParentNode): HTMLElement | null => findElement('[data-reactions]', place)
