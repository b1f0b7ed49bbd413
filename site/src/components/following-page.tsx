import { CatalogForm } from './catalog-form.tsx'
import { CatalogTabs } from './catalog-tabs.tsx'

/** The tab of the home page with the posts of followed authors. Its script loads them. */
export const FollowingPage = () => (
  <main id="main" class="list">
    <h1>Following</h1>
    <CatalogForm filters={{}} />
    <CatalogTabs filters={{}} isFiltered={false} isFollowing />
    <div class="view" data-view="" aria-busy="true">
      <p class="waiting">One moment…</p>
    </div>
    <p class="notice without-script">This page needs JavaScript.</p>
  </main>
)
