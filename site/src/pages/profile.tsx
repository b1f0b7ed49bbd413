import { getFollowCounts, listFollowers, listFollowing } from '@pennypost/contract/follows'
import { callApi } from '../call-api.ts'
import { Avatar } from '../components/avatar.tsx'
import { Name } from '../components/person-link.tsx'
import { plural } from '../format.ts'
import { getElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { creatorPath } from '../paths.ts'
import { currentSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { FollowButton, loadFollow } from '../ui/follow-button.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'
import { openSubscribeForm } from '../ui/open-subscribe-form.tsx'

const { profile: profileId = '' } = getElement('main').dataset
const { account: viewer } = await currentSession()

openSubscribeForm(viewer)
const follow = await loadFollow(profileId, viewer)
render(
  <FollowButton creatorId={profileId} viewer={viewer} follow={follow} onChange={showCounts} />,
  getElement('[data-follow]'),
)
await showCounts()

async function showCounts(): Promise<void> {
  const { followers, following } = await callApi(getFollowCounts, { params: { profileId } })
  render(
    <>
      <Button class="text-button" action={() => showPeople('Followers', listFollowers)}>
        {plural(followers, 'follower')}
      </Button>
      ,{' '}
      <Button class="text-button" action={() => showPeople('Follows', listFollowing)}>
        follows {following}
      </Button>
    </>,
    getElement('[data-follow-counts]'),
  )
}

async function showPeople(title: string, endpoint: typeof listFollowers | typeof listFollowing): Promise<void> {
  const { data, total } = await callApi(endpoint, { params: { userId: profileId }, query: { per_page: '100' } })
  openDialog(
    { 'aria-labelledby': 'people-title' },
    <>
      <h2 id="people-title">{title}</h2>
      {data.length === 0 ? (
        <p class="empty">Nobody yet.</p>
      ) : (
        <ul class="people">
          {data.map((person) => (
            <li key={person.handle}>
              <Avatar person={person} />
              <a href={creatorPath(person.handle)}>
                <Name of={person.name} />
              </a>
              <b>@{person.handle}</b>
            </li>
          ))}
        </ul>
      )}
      {total > data.length && <p class="quiet">and {total - data.length} more</p>}
      <CloseButton />
    </>,
  )
}
