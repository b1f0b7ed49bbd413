import type { Reaction, ReactionSummary } from '@pennypost/contract/reaction-summary'
import { useState } from 'preact/hooks'
import { errorMessage } from '../error-message.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import type { Account } from '../session.ts'
import { showToast } from '../show-toast.ts'

type Send = (reaction: Reaction | null) => Promise<{ readonly summary: ReactionSummary }>

/** The state of reaction buttons. Pressing one reacts; pressing it again removes the reaction. */
export function useReactions(first: Omit<ReactionSummary, 'total'>, viewer: Account | null, send: Send) {
  const [{ counts, viewerReaction: mine }, setSummary] = useState(first)
  const onReact = async (reaction: Reaction) => {
    if (!viewer) return redirectToSignIn('react')
    try {
      setSummary((await send(mine === reaction ? null : reaction)).summary)
    } catch (error) {
      showToast(errorMessage(error))
    }
  }
  return { counts, mine, onReact }
}
