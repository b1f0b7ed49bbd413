import { RefusedError } from '@pennypost/contract/client'
import { subscribe } from '@pennypost/contract/subscribers'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { SubscribeForm } from '../components/subscribe-form.tsx'
import { errorMessage } from '../error-message.ts'
import { findElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { propsOf } from '../props-of.ts'
import type { Account } from '../session.ts'

interface Creator {
  readonly handle: string
  readonly name: string
}

/** Makes the subscribe form of this page work. */
export function openSubscribeForm(viewer: Account | null): void {
  const place = findElement('[data-subscribe]')
  if (!place) return
  const creator = propsOf<Creator>(place)
  render(viewer?.handle === creator.handle ? <OwnSubscribers /> : <Subscribe {...creator} viewer={viewer} />, place)
}

/** Shown on the author's own pages. */
const OwnSubscribers = () => (
  <p class="subscribe">
    <a href="/studio/subscribers">Your email subscribers</a>
  </p>
)

interface SubscribeProps extends Creator {
  readonly viewer: Account | null
}

/** One click for readers whose account has an email address; everyone else enters one and confirms it. */
function Subscribe({ handle, name, viewer }: SubscribeProps) {
  const [needsEmail, setNeedsEmail] = useState(viewer === null || viewer.isGuest)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [done, setDone] = useState<string>()
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy) return
    const email = String(new FormData(event.currentTarget as HTMLFormElement).get('email') ?? '').trim()
    setBusy(true)
    setError(undefined)
    try {
      const { status } = await callApi(subscribe, { params: { handle }, body: needsEmail ? { email } : {} })
      setDone(
        status === 'subscribed'
          ? 'You’re subscribed.'
          : `Check your inbox. Confirm with the link we emailed to ${email}. Nothing there? Sign in with this address to subscribe.`,
      )
    } catch (problem) {
      // The account has no address.
      if (!needsEmail && problem instanceof RefusedError && problem.code === 'validation') setNeedsEmail(true)
      else setError(errorMessage(problem))
    } finally {
      setBusy(false)
    }
  }
  if (done !== undefined)
    return (
      <p class="subscribe" role="status">
        <b>{done}</b>
      </p>
    )
  return <SubscribeForm name={name} needsEmail={needsEmail} onSubmit={send} isBusy={isBusy} error={error} />
}
