import { createPrivateFeed, getPrivateFeed, revokePrivateFeed } from '@pennypost/contract/private-feed'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { Secret, SecretBox } from '../ui/secret-box.tsx'

type Urls = Readonly<Record<'rss' | 'atom' | 'json', string>>
type Feed = Awaited<ReturnType<typeof loadPrivateFeed>>

const formats = [
  ['rss', 'RSS', 'Works in most readers.'],
  ['atom', 'Atom', 'Works in many readers.'],
  ['json', 'JSON Feed', 'Works in some readers.'],
] as const

export const loadPrivateFeed = async () => (await callApi(getPrivateFeed, {})).feed

/** The secret feed URL with everything the account bought. The API returns it once, so it is shown once. */
export function PrivateFeed({ first }: { readonly first: Feed }) {
  const [{ feed, urls }, setShown] = useState<{ feed: Feed; urls?: Urls }>({ feed: first })
  const create = async () => {
    const question = 'Create a new URL? The current one stops working immediately.'
    if (feed && (await confirmAction(question, 'Create')) === undefined) return
    const { urls: created } = await callApi(createPrivateFeed, {})
    setShown({ feed: await loadPrivateFeed(), urls: created })
  }
  const revoke = async () => {
    const question = 'Revoke the URL? Your feed reader stops getting posts.'
    if ((await confirmAction(question, 'Revoke')) === undefined) return
    await callApi(revokePrivateFeed, {})
    setShown({ feed: await loadPrivateFeed() })
  }
  return (
    <>
      <p class="lead">
        Everything you bought, in full, in your feed reader. The URL is secret: anyone who has it can read along.
      </p>
      {urls && (
        <SecretBox label="Your secret URL">
          {formats.map(([format, name, hint]) => (
            <div key={format}>
              <p class="hint">
                {name}. {hint}
              </p>
              <Secret text={urls[format]} confirmation={`The ${name} URL is in your clipboard.`} />
            </div>
          ))}
        </SecretBox>
      )}
      <p>
        {feed
          ? `Your feed URL was created on ${formatDate(feed.createdAt)}. It can't be shown again.`
          : 'You have no feed URL yet.'}
      </p>
      <div class="row">
        <Button class={feed ? 'quiet-button' : ''} action={create}>
          {feed ? 'Create a new URL' : 'Create a URL'}
        </Button>
        {feed && (
          <Button class="danger" action={revoke}>
            Revoke URL
          </Button>
        )}
      </div>
    </>
  )
}
