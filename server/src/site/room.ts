import type { siteOperations } from '@pennypost/contract/site-operations'
import type { Room } from '../platform/room.ts'
import { getAccentStyle } from './get-accent-style.ts'
import { getAgentCard } from './get-agent-card.ts'
import { getApiCatalog } from './get-api-catalog.ts'
import { collectionFeed, creatorFeed, siteFeed } from './get-feed.ts'
import { getIcon, getOldIcon } from './get-icon.ts'
import { getLicense } from './get-license.ts'
import { getLinkCard } from './get-link-card.ts'
import { getLlmsText } from './get-llms-text.ts'
import { getOEmbed } from './get-oembed.ts'
import { getOpenSearch } from './get-opensearch.ts'
import { privateFeed } from './get-private-feed.ts'
import { getPushWorker } from './get-push-worker.ts'
import { getRobots } from './get-robots.ts'
import { getSecurityText } from './get-security-text.ts'
import { getSiteFile } from './get-site-file.ts'
import { getSitemap, getSitemapIndex } from './get-sitemap.ts'
import { getSkill } from './get-skill.ts'
import { getWebManifest } from './get-web-manifest.ts'
import { getDocsEntries } from './guides/get-docs-entries.ts'
import { getGuideMarkdown, showGuide } from './guides/show-guide.ts'
import { pingHub } from './ping-hub.job.ts'
import type { SiteServices } from './services.ts'
import {
  openEarnings,
  openSettings,
  showAdmin,
  showAdminOverview,
  showClaim,
  showEarnings,
  showEditor,
  showFollowing,
  showGiftLinks,
  showJoin,
  showLibrary,
  showNotifications,
  showOffline,
  showPostStatistics,
  showReceipt,
  showSaved,
  showSeries,
  showSettings,
  showSignIn,
  showStatistics,
  showStudio,
  showSubscribers,
} from './show-app-pages.ts'
import { showCatalog } from './show-catalog.ts'
import { showCollection, showTag } from './show-collection.ts'
import { showCreator } from './show-creator.ts'
import { showEmbed } from './show-embed.ts'
import { showLeaderboard } from './show-leaderboard.ts'
import { showAbout, showPrivacy, showTerms } from './show-operator-pages.ts'
import { getPostMarkdown, showPost, showPostBySlug } from './show-post.ts'
import { endSiteSession, getSiteSession, startSiteSession } from './site-session.ts'

export const siteRoom: Room<typeof siteOperations, SiteServices> = {
  handlers: {
    showCatalog,
    showPost,
    showPostBySlug,
    getPostMarkdown,
    showCreator,
    showCollection,
    showTag,
    showLeaderboard,
    showAbout,
    showTerms,
    showPrivacy,
    showGuide,
    getGuideMarkdown,
    getDocsEntries,
    showFollowing,
    showLibrary,
    showReceipt,
    showSaved,
    showSignIn,
    showJoin,
    showNotifications,
    showSeries,
    showSettings,
    showStatistics,
    showPostStatistics,
    showStudio,
    showEditor,
    showGiftLinks,
    showSubscribers,
    showEarnings,
    showAdminOverview,
    showAdmin,
    showClaim,
    showOffline,
    openSettings,
    openEarnings,
    getSiteFile,
    getLinkCard,
    getAccentStyle,
    getWebManifest,
    getPushWorker,
    startSiteSession,
    getSiteSession,
    endSiteSession,
    getSiteRss: siteFeed('feed.xml'),
    getSiteAtom: siteFeed('atom.xml'),
    getSiteJsonFeed: siteFeed('feed.json'),
    getCreatorRss: creatorFeed('feed.xml'),
    getCreatorAtom: creatorFeed('atom.xml'),
    getCreatorJsonFeed: creatorFeed('feed.json'),
    getCollectionRss: collectionFeed('feed.xml'),
    getCollectionAtom: collectionFeed('atom.xml'),
    getCollectionJsonFeed: collectionFeed('feed.json'),
    getPrivateRss: privateFeed('feed.xml'),
    getPrivateAtom: privateFeed('atom.xml'),
    getPrivateJsonFeed: privateFeed('feed.json'),
    getSitemapIndex,
    getSitemap,
    getIcon,
    getOldIcon,
    getRobots,
    getSecurityText,
    getLlmsText,
    getOEmbed,
    showEmbed,
    getOpenSearch,
    getLicense,
    getApiCatalog,
    getAgentCard,
    getSkill,
  },
  jobs: [pingHub],
}
