import type { Context } from '../context.ts'
import type {
  GetFollowCountsReply,
  ListFollowedPostsInput,
  ListLibraryInput,
  ListNotificationsInput,
  ListNotificationsReply,
  UpdateFollowInput,
} from '../generated/operations.ts'
import type { FollowedPost, LibraryItem, PublicAuthor } from '../generated/types.ts'
import { type List, listByCursor, listByOffset, listByPage } from '../list.ts'
import type { CallOptions } from '../operation.ts'

/** The purchases of the account that is signed in, by any payment method. */
export class Library {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  list(query: ListLibraryInput['query'] = {}, options?: CallOptions): List<LibraryItem> {
    return listByPage(query, async (page) => {
      const { body } = await this.#context.operations.listLibrary({ query: page }, options)
      return { items: body.data, total: body.total, perPage: body.perPage }
    })
  }
}

const lastPageOfPeople = 1_000_000

/** The creators that you follow, and their new posts. */
export class Feed {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** The posts of the creators that you follow, newest first. */
  list(query: ListFollowedPostsInput['query'] = {}, options?: CallOptions): List<FollowedPost> {
    return listByCursor(query, async (page) => {
      const { body } = await this.#context.operations.listFollowedPosts({ query: page }, options)
      return { items: body.data, nextCursor: body.nextCursor }
    })
  }

  async follow(creatorId: string, options?: CallOptions): Promise<void> {
    await this.#set(creatorId, { following: true }, options)
  }

  async unfollow(creatorId: string, options?: CallOptions): Promise<void> {
    await this.#set(creatorId, { following: false }, options)
  }

  followers(userId: string, options?: CallOptions): List<PublicAuthor> {
    const load = async (query: object) => {
      const { body } = await this.#context.operations.listFollowers({ params: { userId }, query }, options)
      return { items: body.data, total: body.total, perPage: body.per_page }
    }
    return listByPage({ per_page: 100 }, load, lastPageOfPeople)
  }

  following(userId: string, options?: CallOptions): List<PublicAuthor> {
    const load = async (query: object) => {
      const { body } = await this.#context.operations.listFollowing({ params: { userId }, query }, options)
      return { items: body.data, total: body.total, perPage: body.per_page }
    }
    return listByPage({ per_page: 100 }, load, lastPageOfPeople)
  }

  async counts(profileId: string, options?: CallOptions): Promise<GetFollowCountsReply> {
    return (await this.#context.operations.getFollowCounts({ params: { profileId } }, options)).body
  }

  async #set(creatorId: string, body: UpdateFollowInput['body'], options?: CallOptions): Promise<void> {
    await this.#context.operations.updateFollow({ params: { creatorId }, body }, options)
  }
}

/** Notifications of the account that is signed in. */
export class Notifications {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  list(
    query: ListNotificationsInput['query'] = {},
    options?: CallOptions,
  ): List<ListNotificationsReply['notifications'][number]> {
    return listByOffset(query, async (page) => {
      const { body } = await this.#context.operations.listNotifications({ query: page }, options)
      return { items: body.notifications, total: body.total }
    })
  }

  async markAllRead(options?: CallOptions): Promise<void> {
    await this.#context.operations.markAllRead({}, options)
  }
}
