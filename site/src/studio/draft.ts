import { RefusedError } from '@pennypost/contract/client'
import { getPost, type Post, updatePost } from '@pennypost/contract/posts'
import {
  type EmailedToSubscribers,
  publishPost,
  type unschedulePost,
  type withdrawPost,
} from '@pennypost/contract/publishing'
import { callApi } from '../call-api.ts'
import type { Change } from './change.ts'
import { deleteLocalCopy, writeLocalCopy } from './local-copy.ts'

/** The title of a draft that has none yet: a post cannot be without. */
export const untitled = 'Untitled'

const autosaveMs = 1200
const retryMs = 10_000
const keepAfterMs = 300

/**
 * A post in the editor, with its unsaved changes. A draft is saved as the author types; changes to a published post are
 * saved when the author presses Save.
 */
export class Draft {
  /** The post as the service has it. */
  post: Post
  /** Why the last attempt to save or publish failed. */
  error: unknown
  /** The post as someone changed it elsewhere. Nothing is saved until the author has chosen a version. */
  other: Post | undefined
  #pending: Change = {}
  #sending: Change = {}
  /** Changes that were sent without getting a reply: the service may or may not have saved them. */
  #uncertain: Change = {}
  #invalid = new Map<string, string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<unknown> | undefined
  #keeping: ReturnType<typeof setTimeout> | undefined
  readonly #onChange: () => void

  constructor(post: Post, onChange: () => void) {
    this.post = post
    this.#onChange = onChange
  }

  /** Whether the text was changed elsewhere. */
  get isOutdated(): boolean {
    return this.other !== undefined
  }

  /** All changes that may not have been saved. */
  get unsaved(): Change {
    return { ...this.#sending, ...this.#pending }
  }

  get isSaved(): boolean {
    return isEmpty(this.#pending) && isEmpty(this.#sending) && this.problem === undefined
  }

  /** Why something that was typed cannot be saved. */
  get problem(): string | undefined {
    return this.#invalid.values().next().value
  }

  /** Marks a field whose content cannot be saved; undefined removes the mark. */
  mark(field: string, problem: string | undefined): void {
    if (problem === undefined) this.#invalid.delete(field)
    else this.#invalid.set(field, problem)
    this.#onChange()
  }

  change(change: Change): void {
    // The editor shows its text itself: while it is typed, nothing else on the page changes.
    const isSeen = this.isSaved || Object.keys(change).some((name) => !/Markdown$/.test(name))
    this.#pending = { ...this.#pending, ...change }
    this.#saveIn(autosaveMs)
    this.#keepSoon()
    if (isSeen) this.#onChange()
  }

  /** Ends a conflict with this page's version: it replaces what was written elsewhere. */
  async keepMine(): Promise<void> {
    if (!this.other) return
    const mine: Readonly<Record<string, unknown>> = { ...this.post, ...this.#pending }
    const differing = comparedFields.filter((name) => name !== 'status' && mine[name] !== this.other![name])
    this.#pending = { ...this.#pending, ...Object.fromEntries(differing.map((name) => [name, mine[name]])) }
    this.post = this.other
    this.other = undefined
    this.#uncertain = {}
    await this.save()
  }

  /** Ends a conflict with the other version: what is not saved is given up. The page must be loaded again. */
  async keepOther(): Promise<void> {
    clearTimeout(this.#timer)
    this.#pending = {}
    await this.#keep()
  }

  #keepSoon(): void {
    this.#keeping ??= setTimeout(() => this.#keep(), keepAfterMs)
  }

  /** Keeps what is not saved in this browser, or drops the copy once all of it is. */
  async #keep(): Promise<void> {
    clearTimeout(this.#keeping)
    this.#keeping = undefined
    const { id } = this.post
    const change = this.unsaved
    if (isEmpty(change)) return void (await deleteLocalCopy(id))
    const base = Object.fromEntries(Object.keys(change).map((name) => [name, this.post[name as keyof Post]]))
    await writeLocalCopy({ postId: id, change, base, at: Date.now() })
  }

  /** Saves all changes of a draft. Changes of a published post wait until the author saves them. */
  async autosave(): Promise<void> {
    if (this.post.status === 'published' || isEmpty(this.#pending)) return
    try {
      await this.save()
    } catch (error) {
      // The page shows it. What is refused for another reason would be refused again.
      if (isTemporary(error)) this.#saveIn(retryMs)
    }
  }

  #saveIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.autosave(), milliseconds)
  }

  /** Saves until nothing is unsaved. If a save is refused, its changes are kept and sent with the next ones. */
  async save(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#attempt(async () => {
      while (!isEmpty(this.#pending)) await this.#send()
    })
  }

  /** Saves, then publishes the post, now or at a time. Returns whether it is emailed to subscribers. */
  async publish(body: {
    readonly publishAt?: string
    readonly emailSubscribers: boolean
  }): Promise<EmailedToSubscribers> {
    let emailed: EmailedToSubscribers = 'none'
    await this.#move(async (headers) => {
      const { emailSubscribers, ...post } = await callApi(publishPost, { params: this.#params, headers, body })
      emailed = emailSubscribers
      return post
    })
    return emailed
  }

  /** Saves, then takes the post or its schedule back. */
  async withdraw(endpoint: typeof withdrawPost | typeof unschedulePost): Promise<void> {
    await this.#move((headers) => callApi(endpoint, { params: this.#params, headers }))
  }

  async #move(call: (headers: Revision) => Promise<Post>): Promise<void> {
    await this.save()
    await this.#attempt(async () => {
      this.post = await this.#atRevision(call)
    })
  }

  /** Saves, then makes a call that needs the current revision, such as an upload. Saves need not wait for it. */
  async afterSaving<T>(call: (headers: Revision) => Promise<T>): Promise<T> {
    await this.save()
    try {
      return await call(this.#revision)
    } catch (error) {
      if (!isConflict(error)) throw error
      // The revision may have been saved during a long upload. Nothing else runs during the second attempt.
      return this.#alone(async () => {
        if (!(await this.#readAgain())) throw error
        return call(this.#revision)
      })
    }
  }

  /** Reads the post again after something other than a save changed it, such as a finished upload. */
  async reread(): Promise<void> {
    await this.#alone(() => this.#readAgain())
  }

  get #params() {
    return { postId: this.post.id }
  }

  get #revision(): Revision {
    return { 'x-post-revision': this.post.updatedAt }
  }

  async #send(): Promise<void> {
    if (!isEmpty(this.#uncertain)) await this.#readAgain()
    this.#sending = this.#pending
    this.#pending = {}
    this.#onChange()
    try {
      const body = this.#sending
      this.post = await this.#atRevision((headers) => callApi(updatePost, { params: this.#params, headers, body }))
      this.#uncertain = {}
      this.#keepSoon()
    } catch (error) {
      if (isTemporary(error)) this.#uncertain = this.#sending
      this.#pending = { ...this.#sending, ...this.#pending }
      throw error
    } finally {
      this.#sending = {}
    }
  }

  /** A finished upload makes a new revision too. If nothing else changed meanwhile, retries on top of it. */
  async #atRevision(call: (headers: Revision) => Promise<Post>): Promise<Post> {
    try {
      return await call(this.#revision)
    } catch (error) {
      if (!isConflict(error) || !(await this.#readAgain())) throw error
      return call(this.#revision)
    }
  }

  /**
   * Returns whether the text is the one that this page knows or may have saved. If it is not, the old revision stays, so
   * that the next save is refused and does not replace what was written elsewhere.
   */
  async #readAgain(): Promise<boolean> {
    const now = await callApi(getPost, { params: this.#params })
    const { post } = this
    const uncertain: Partial<Post> = { ...this.#uncertain, tags: post.tags }
    const isOther = comparedFields.some((name) => now[name] !== post[name] && now[name] !== uncertain[name])
    this.other = isOther ? now : undefined
    if (!isOther) this.post = now
    return !isOther
  }

  async #attempt(action: () => Promise<void>): Promise<void> {
    try {
      await this.#alone(action)
      this.error = undefined
    } catch (error) {
      this.error = error
      throw error
    } finally {
      this.#onChange()
    }
  }

  /** Runs one action at a time: a read during a save could not tell that save from another person's. */
  async #alone<T>(action: () => Promise<T>): Promise<T> {
    while (this.#running) await this.#running.catch(() => undefined)
    const running = action().finally(() => {
      this.#running = undefined
      this.#onChange()
    })
    this.#running = running
    return running
  }
}

interface Revision {
  readonly 'x-post-revision': string
}

const comparedFields = [
  'title',
  'description',
  'freeContentMarkdown',
  'paidContentMarkdown',
  'enablePaywall',
  'priceCurrency',
  'priceAtomic',
  'status',
] as const

const isConflict = (error: unknown): boolean => error instanceof RefusedError && error.code === 'revision-conflict'

/** Whether retrying may help: the network failed, or the service is restarting or busy. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof RefusedError) || error.status === 429 || error.status >= 500

const isEmpty = (change: Change): boolean => Object.keys(change).length === 0
