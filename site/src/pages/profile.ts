import { getFollowCounts, listFollowers, listFollowing } from '@pennypost/contract/follows'
import { ask } from '../api.ts'
import { h, the } from '../dom.ts'
import { followButton } from '../follow.ts'
import { button } from '../form.ts'
import { avatar } from '../person.ts'
import { whoIsIt } from '../session.ts'
import { plural } from '../words.ts'

const { profile: profileId = '' } = the('main').dataset
const { account } = await whoIsIt()

const place = the('[data-follow]')
place.append(await followButton(profileId, account))
place.addEventListener('follow', count)
await count()

async function count(): Promise<void> {
  const { followers, following } = await ask(getFollowCounts, { params: { profileId } })
  the('[data-follow-counts]').replaceChildren(
    button(plural(followers, 'follower'), () => showPeople('Followers', listFollowers), 'text-button'),
    ', ',
    button(`follows ${following}`, () => showPeople('Follows', listFollowing), 'text-button'),
  )
}

async function showPeople(title: string, endpoint: typeof listFollowers | typeof listFollowing): Promise<void> {
  const { data, total } = await ask(endpoint, { params: { userId: profileId }, query: { per_page: '100' } })
  const dialog = h(
    'dialog',
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
    h('form', { method: 'dialog', class: 'row' }, h('button', { class: 'quiet-button' }, 'Close')),
  )
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
