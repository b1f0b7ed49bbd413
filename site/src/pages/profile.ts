import { getFollowCounts } from '@pennypost/contract/follows'
import { ask } from '../api.ts'
import { the } from '../dom.ts'
import { followButton } from '../follow.ts'
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
  the('[data-follow-counts]').textContent = `${plural(followers, 'follower')}, follows ${following}`
}
