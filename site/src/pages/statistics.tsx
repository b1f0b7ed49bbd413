import { getElement } from '../get-element.ts'
import { requireAccount } from '../session.ts'
import { loadStatistics, StatisticsView } from '../statistics/statistics-view.tsx'
import { showPage } from '../ui/show-page.tsx'

// The statistics of all posts, or of the post that the page names.
await showPage(async () => {
  await requireAccount()
  const postId = getElement('main').dataset.section
  return <StatisticsView first={await loadStatistics(postId)} postId={postId} />
})
