import { deepEqual } from 'node:assert/strict'
import { adminSections, earningsSections, settingsSections } from '@pennypost/contract/app-pages'
import { signIn } from './people.mjs'
import { openPage } from './world.mjs'

const publicPages = (world) => [
  '/',
  '/?q=wind&access=paid&sort=newest',
  '/?q=nothingofthekind',
  `/posts/${world.fixture.postId}`,
  '/@ada_marlow',
  '/@tomas_o/tags/slow-things',
  '/leaderboards',
  '/leaderboards?board=supporters',
  '/sign-in',
  '/join',
  '/offline',
  '/docs',
]
const personalPages = (world) => [
  `/posts/${world.fixture.postId}`,
  '/@ada_marlow',
  '/studio',
  '/studio/gift-links',
  '/studio/statistics',
  '/studio/series',
  `/studio/posts/${world.fixture.postId}/statistics`,
  '/studio/subscribers',
  `/studio/posts/${world.fixture.draftId}`,
  '/notifications',
  '/following',
  '/library',
  `/library/${world.fixture.boughtId}`,
  ...earningsSections.map((section) => `/studio/earnings/${section}`),
  ...settingsSections.map((section) => `/settings/${section}`),
  '/admin',
  ...adminSections.map((section) => `/admin/${section}`),
]

/** Visits all public pages signed out, and all personal ones as an author and administrator. */
export async function visitAllPages(world, options, look) {
  const [visitor, owner] = [await openPage(world, options), await openPage(world, options)]
  await signIn(owner, world, world.fixture.ada)
  for (const [each, paths] of [
    [visitor, publicPages(world)],
    [owner, personalPages(world)],
  ])
    for (const path of paths) {
      await each.page.goto(world.origin + path, { waitUntil: 'networkidle' })
      await look(each.page, path)
    }
  deepEqual([...visitor.complaints, ...owner.complaints], [])
  for (const { context } of [visitor, owner]) await context.close()
}
