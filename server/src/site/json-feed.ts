import type { Feed } from './feed.ts'

/** JSON Feed 1.1. */
export const jsonFeed = (feed: Feed): string =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feed.title,
    description: feed.description,
    home_page_url: feed.homeUrl,
    ...(feed.feedUrl !== undefined && { feed_url: feed.feedUrl }),
    ...(feed.hubUrl !== undefined && { hubs: [{ type: 'WebSub', url: feed.hubUrl }] }),
    items: feed.items.map((item) => ({
      id: item.id,
      url: item.url,
      title: item.title,
      summary: item.summary,
      content_html: item.contentHtml,
      date_published: item.published.toISOString(),
      date_modified: item.updated.toISOString(),
      authors: [item.author],
      tags: item.tags,
      ...(item.language !== null && { language: item.language }),
      // What the format has no field for goes into an extension.
      _pennypost: { ai_disclosure: item.aiDisclosure ?? null, price: item.price ?? null },
    })),
  })
