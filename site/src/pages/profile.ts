import { getFollowCounts, listFollowers, listFollowing } from '@pennypost/contract/follows'
import { avatar } from '../avatar.ts'
import { callApi } from '../call-api.ts'
import { getElement, h } from '../dom.ts'
import { followButton } from '../follow-button.ts'
import { button } from '../form.ts'
import { plural } from '../format.ts'
import { closeButton, openDialog } from '../open-dialog.ts'
import { currentSession } from '../session.ts'

const { profile: profileId = '' } = getElement('main').dataset
const { account } = await currentSession()

const place = getElement('[data-follow]')
place.append(await followButton(profileId, account))
place.addEventListener('follow', count)
await count()

async function count(): Promise<void> {
  const { followers, following } = await callApi(getFollowCounts, { params: { profileId } })
  getElement('[data-follow-counts]').replaceChildren(
    button(plural(followers, 'follower'), () => showPeople('Followers', listFollowers), 'text-button'),
    ', ',
    button(`follows ${following}`, () => showPeople('Follows', listFollowing), 'text-button'),
  )
}

async function showPeople(title: string, endpoint: typeof listFollowers | typeof listFollowing): Promise<void> {
  const { data, total } = await callApi(endpoint, { params: { userId: profileId }, query: { per_page: '100' } })
  openDialog(
    { 'aria-labelledby': 'people-title' },
    h('h2', { id: 'people-title' }, title),
    data.length === 0
      ? h('p', { class: 'empty' }, 'Nobody yet.')
      : h(
          'ul',
          { class: 'people' },
          data.map((person) =>
            h(
              'li',
              {},
              avatar(person),
              h('a', { href: `/@${person.handle}` }, h('bdi', {}, person.name)),
              h('b', {}, `@${person.handle}`),
            ),
          ),
        ),
    total > data.length && h('p', { class: 'quiet' }, `and ${total - data.length} more`),
    closeButton(),
  )
}
